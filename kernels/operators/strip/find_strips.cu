#include "kernels/operators/strip/find_strips.hpp"

#include <algorithm>
#include <numeric>

#include "kernels/cuda/launch.cuh"
#include "kernels/cuda/pinned_memory.hpp"
#include "kernels/operators/strip/lay_out_strips.cuh"
#include "kernels/operators/strip/strip_columns_fill.cuh"
#include "tile/error.hpp"

namespace tilespmv::cuda {
namespace {

/// Finds the keys of strips, divides those of each part into runs, puts these one behind the other, and writes columns.
template <bool kByRank>
class StripFinder {
public:
    StripFinder(const StripsToFind& p, const DeviceContext& on)
        : p_(p), on_(on), parts_(div_up(p.count, kTileRowsOfPart)), scratch_(scratch_bytes(), on) {
        const auto count = static_cast<std::size_t>(p.count);
        layout_.runs = reinterpret_cast<StripRun*>(scratch_.data());
        p_.keys = reinterpret_cast<std::uint64_t*>(layout_.runs + count);
        p_.sorted = p_.keys + count;
        layout_.totals = reinterpret_cast<StripTotals*>(p_.sorted + count);
        layout_.tile_rows = reinterpret_cast<std::uint32_t*>(layout_.totals + parts_);
        layout_.is_rest = reinterpret_cast<std::uint8_t*>(layout_.tile_rows + count);
        p_.repeats = layout_.is_rest + count;
        layout_.found = p_;
    }

    FoundStrips run() {
        FoundStrips found;
        if (p_.count == 0) return found;
        find();
        const StripTotals all = lay_out();
        found.bytes_to_host = static_cast<std::size_t>(parts_) * sizeof all;
        found.strips = room_for(all);
        found.rest = DeviceBuffer<std::uint32_t>(static_cast<std::size_t>(p_.count) - all.strips, on_);
        const bool is_last = kByRank || !(p_.limits.most_rank_bytes > 0);
        if (is_last && !found.rest.empty()) found.before = DeviceBuffer<RestBefore>(found.rest.size() + 1, on_);
        const StripArrays& s = found.strips;
        launch(join_strips, parts_, kFindThreads,
               PartsToJoin{layout_, s.runs.data(), s.tile_rows.data(), std::ssize(s.tile_rows), found.rest.data(),
                           found.before.data()},
               on_.stream);
        fill_columns(s);
        return found;
    }

private:
    /// Of all arrays of `StripsToFind` and `PartsToLayOut`: one allocation instead of seven.
    [[nodiscard]] std::size_t scratch_bytes() const {
        constexpr std::size_t each = sizeof(StripRun) + 2 * sizeof(std::uint64_t) + sizeof(std::uint32_t) + 2;
        return static_cast<std::size_t>(p_.count) * each + static_cast<std::size_t>(parts_) * sizeof(StripTotals);
    }

    void find() {
        const std::int64_t blocks = div_up(p_.count * kTileSize, kFindThreads);
        launch(kByRank ? find_rank_keys : find_window_keys, blocks, kFindThreads, p_, on_.stream);
        launch(sort_strips, parts_, kTileRowsOfPart, p_, on_.stream);
        if (!kByRank) launch(compare_strips, blocks, kFindThreads, p_, on_.stream);
    }

    /// Returns the totals of all parts, which are few.
    StripTotals lay_out() {
        const PinnedMemory totals(static_cast<std::size_t>(parts_) * sizeof(StripTotals));
        layout_.totals_on_host = reinterpret_cast<StripTotals*>(totals.data());
        launch(lay_out_strips<kByRank>, parts_, kTileRowsOfPart, layout_, on_.stream);
        TILESPMV_CUDA(cudaStreamSynchronize(on_.stream));
        const StripTotals* const first = layout_.totals_on_host;
        const StripTotals all = std::accumulate(first, first + parts_, StripTotals{}, SumOfTotals{});
        require_fewer_slots(std::max(all.slots, all.quads));
        return all;
    }

    [[nodiscard]] StripArrays room_for(const StripTotals& all) const {
        StripArrays s;
        s.runs = DeviceBuffer<StripRun>(all.runs, on_);
        s.tile_rows = DeviceBuffer<std::uint32_t>(all.strips, on_);
        s.bases = DeviceBuffer<std::int32_t>(kByRank ? all.strips : all.quads * kQuad, on_);
        s.codes = DeviceBuffer<std::uint16_t>(all.quads * kTileSize * (kByRank ? kQuad : 1), on_);
        if (!kByRank) s.masks = DeviceBuffer<std::uint8_t>(all.quads * kRowPairs, on_);
        s.slots = static_cast<std::int64_t>(all.slots);
        s.nonzeros = static_cast<offset_t>(all.nonzeros);
        s.occupied = static_cast<offset_t>(all.occupied);
        return s;
    }

    void fill_columns(const StripArrays& s) const {
        const ColumnsToFill p{p_.a, s.runs.data(), s.tile_rows.data(), s.bases.data(), s.codes.data(), s.masks.data()};
        launch(kByRank ? fill_rank_columns : fill_window_columns, std::ssize(s.runs), kStripThreads, p, on_.stream);
    }

    StripsToFind p_;
    DeviceContext on_;
    std::int64_t parts_;
    DeviceBuffer<std::byte> scratch_;
    PartsToLayOut layout_;
};

}  // namespace

FoundStrips find_strips(const DeviceRows& a, const StripLimits& limits, const DeviceContext& on) {
    return StripFinder<false>({.a = a, .limits = limits, .count = div_up(a.rows, kTileSize)}, on).run();
}

FoundStrips find_rank_strips(const DeviceRows& a, const DeviceBuffer<std::uint32_t>& tile_rows,
                             const StripLimits& limits, const DeviceContext& on) {
    const StripsToFind p{
        .a = a, .limits = limits, .count = static_cast<std::int64_t>(tile_rows.size()), .tile_rows = tile_rows.data()};
    return StripFinder<true>(p, on).run();
}

}  // namespace tilespmv::cuda
