#include "kernels/operators/strip/rank_strips.hpp"

#include <algorithm>
#include <limits>

#include "tile/parallel.hpp"

namespace tilespmv::cuda {
namespace {

struct RankStrip {
    std::uint32_t tile_row = 0;
    std::int32_t base = 0;
    std::uint32_t slots = 0;
    bool holes = false;
};

/// What tile rows become together; positions are those among them.
struct RankPart {
    std::vector<StripRun> runs;
    std::vector<RankStrip> strips;
    std::vector<std::uint32_t> rest;  ///< tile rows
    std::uint64_t slots = 0;
    std::uint64_t quads = 0;
    offset_t nonzeros = 0;
};

template <Value V>
class RankPartMaker {
public:
    RankPartMaker(const CsrMatrix<V>& a, const StripLimits& limits, std::span<const std::uint32_t> tile_rows)
        : a_(a), limits_(limits), tile_rows_(tile_rows) {}

    RankPart run() {
        for (const std::uint32_t tile_row : tile_rows_) add(tile_row);
        if (bytes() > limits_.most_rank_bytes * csr16_bytes_of(limits_, part_.nonzeros, std::ssize(part_.strips))) {
            part_ = {};
            part_.rest.assign(tile_rows_.begin(), tile_rows_.end());
        }
        std::ranges::stable_sort(part_.strips, {}, &RankStrip::slots);
        make_runs();
        return std::move(part_);
    }

private:
    void add(std::uint32_t tile_row) {
        const std::int64_t first = std::int64_t{tile_row} * kTileSize;
        const std::int64_t end = std::min<std::int64_t>(first + kTileSize, a_.rows);
        offset_t longest = 0;
        offset_t shortest = std::numeric_limits<offset_t>::max();
        index_t least = std::numeric_limits<index_t>::max();
        index_t greatest = 0;
        for (std::int64_t r = first; r < end; ++r) {
            const offset_t at = a_.row_ptrs[r];
            const offset_t count = a_.row_ptrs[r + 1] - at;
            longest = std::max(longest, count);
            shortest = std::min(shortest, count);
            if (count == 0) continue;
            least = std::min(least, a_.col_idxs[at]);
            greatest = std::max(greatest, a_.col_idxs[at + count - 1]);
        }
        if (longest > limits_.max_slots || (longest > 0 && greatest - least >= index_t{kRankHole})) {
            part_.rest.push_back(tile_row);
            return;
        }
        part_.strips.push_back(
            {tile_row, longest > 0 ? least : 0, static_cast<std::uint32_t>(longest), shortest < longest});
        part_.slots += static_cast<std::uint64_t>(longest);
        part_.quads += div_up(static_cast<std::uint64_t>(longest), std::uint64_t{kQuad});
        part_.nonzeros += a_.row_ptrs[end] - a_.row_ptrs[first];
    }

    [[nodiscard]] double bytes() const {
        return rank_quad_bytes(static_cast<std::int64_t>(part_.quads)) +
               strip_value_bytes(limits_, static_cast<std::int64_t>(part_.slots));
    }

    /// Of strips of as many slots, as many as a block takes at a time.
    void make_runs() {
        std::uint64_t slot = 0;
        std::uint64_t quad = 0;
        for (std::size_t i = 0; i < part_.strips.size();) {
            const std::uint32_t slots = part_.strips[i].slots;
            StripRun run{.first_slot = static_cast<std::uint32_t>(slot),
                         .first_quad = static_cast<std::uint32_t>(quad),
                         .first_strip = static_cast<std::uint32_t>(i),
                         .slots = static_cast<std::uint16_t>(slots)};
            run.groups_log2 = static_cast<std::uint8_t>(strip_groups_log2(limits_, run.slots)) & 15U;
            const std::size_t most = i + static_cast<std::size_t>(limits_.threads / kTileSize >> run.groups_log2);
            for (; i < std::min(most, part_.strips.size()) && part_.strips[i].slots == slots; ++i) {
                ++run.strips;
                run.holes = run.holes != 0 || part_.strips[i].holes ? 1 : 0;
            }
            slot += std::uint64_t{slots} * run.strips;
            quad += std::uint64_t{run.quads()} * run.strips;
            part_.runs.push_back(run);
        }
    }

    const CsrMatrix<V>& a_;
    const StripLimits& limits_;
    std::span<const std::uint32_t> tile_rows_;
    RankPart part_;
};

/// Parts put one behind the other.
template <Value V>
class RankJoiner {
public:
    RankJoiner(const CsrMatrix<V>& a, std::span<const RankPart> parts) : a_(a), parts_(parts) {}

    RankStrips run() {
        std::vector<Start> starts;
        std::vector<std::uint32_t> rest;
        Start at;
        for (const RankPart& part : parts_) {
            starts.push_back(at);
            at = {at.run + part.runs.size(), at.strip + part.strips.size(), at.quad + part.quads, at.slot + part.slots};
            s_.nonzeros += part.nonzeros;
            rest.insert(rest.end(), part.rest.begin(), part.rest.end());
        }
        s_.rest = rows_in(rest, a_.rows);
        require_fewer_slots(std::max(at.slot, at.quad));
        s_.slots = static_cast<std::int64_t>(at.slot);
        s_.runs = Buffer<StripRun>(at.run);
        s_.tile_rows = Buffer<std::uint32_t>(at.strip);
        s_.bases = Buffer<std::int32_t>(at.strip);
        s_.codes = Buffer<std::uint16_t>(at.quad * kQuad * kTileSize);
        parallel_for(0, std::ssize(starts), 1, [&](std::int64_t i) {
            const auto k = static_cast<std::size_t>(i);
            copy(parts_[k], starts[k]);
        });
        return std::move(s_);
    }

private:
    struct Start {
        std::size_t run = 0;
        std::size_t strip = 0;
        std::uint64_t quad = 0;
        std::uint64_t slot = 0;
    };

    void copy(const RankPart& part, const Start& start) {
        for (std::size_t k = 0; k < part.runs.size(); ++k) {
            StripRun& run = s_.runs[start.run + k] = part.runs[k];
            for (std::uint32_t i = 0; i < run.strips; ++i) {
                fill(part.strips[run.first_strip + i], start.quad + run.quad_of(i));
            }
            run.first_slot += static_cast<std::uint32_t>(start.slot);
            run.first_quad += static_cast<std::uint32_t>(start.quad);
            run.first_strip += static_cast<std::uint32_t>(start.strip);
        }
        for (std::size_t i = 0; i < part.strips.size(); ++i) {
            s_.tile_rows[start.strip + i] = part.strips[i].tile_row;
            s_.bases[start.strip + i] = part.strips[i].base;
        }
    }

    void fill(const RankStrip& strip, std::uint64_t quad) {
        std::uint16_t* codes = s_.codes.data() + quad * kQuad * kTileSize;
        const std::uint32_t slots = div_up(strip.slots, std::uint32_t{kQuad}) * kQuad;
        std::fill_n(codes, std::size_t{slots} * kTileSize, kRankHole);
        const std::int64_t row0 = std::int64_t{strip.tile_row} * kTileSize;
        for (std::int64_t r = 0; r < std::min<std::int64_t>(kTileSize, a_.rows - row0); ++r) {
            const offset_t first = a_.row_ptrs[row0 + r];
            const offset_t count = a_.row_ptrs[row0 + r + 1] - first;
            for (offset_t k = 0; k < count; ++k) {
                codes[k / kQuad * kQuad * kTileSize + r * kQuad + k % kQuad] =
                    static_cast<std::uint16_t>(a_.col_idxs[first + k] - strip.base);
            }
        }
    }

    const CsrMatrix<V>& a_;
    std::span<const RankPart> parts_;
    RankStrips s_;
};

}  // namespace

std::size_t RankStrips::bytes(std::size_t value_bytes) const {
    return runs.bytes() + tile_rows.bytes() + bases.bytes() + codes.bytes() +
           static_cast<std::size_t>(slots) * kTileSize * value_bytes;
}

template <Value V>
RankStrips make_rank_strips(const CsrMatrix<V>& a, const std::vector<RowRange>& rows, const StripLimits& limits) {
    const std::vector<std::uint32_t> tile_rows = tile_rows_in(rows);
    std::vector<RankPart> parts(div_up(tile_rows.size(), kTileRowsOfPart));
    parallel_for(0, std::ssize(parts), 1, [&](std::int64_t i) {
        const std::size_t first = static_cast<std::size_t>(i) * kTileRowsOfPart;
        const std::span part =
            std::span(tile_rows).subspan(first, std::min<std::size_t>(kTileRowsOfPart, tile_rows.size() - first));
        parts[static_cast<std::size_t>(i)] = RankPartMaker<V>(a, limits, part).run();
    });
    return RankJoiner<V>(a, parts).run();
}

#define TILESPMV_INSTANTIATE(V) \
    template RankStrips make_rank_strips(const CsrMatrix<V>&, const std::vector<RowRange>&, const StripLimits&);
TILESPMV_FOR_EACH_VALUE(TILESPMV_INSTANTIATE)

}  // namespace tilespmv::cuda
