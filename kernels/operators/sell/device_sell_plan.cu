#include "kernels/operators/sell/device_sell_plan.hpp"

#include <algorithm>

#include <cub/block/block_scan.cuh>
#include <cub/warp/warp_scan.cuh>

#include "kernels/cuda/launch.cuh"
#include "kernels/cuda/pinned_memory.hpp"
#include "kernels/cuda/tuning.hpp"
#include "kernels/cuda/warp.cuh"

namespace tilespmv::cuda {
namespace {

constexpr int kThreads = kElementwiseThreads;

/// Rows in chunks, each of which a warp takes in the order of its rows.
struct RowsToSort {
    SliceKinds kinds;
    index_t rows = 0;
    const offset_t* row_ptrs = nullptr;
    offset_t chunk = 0;  ///< rows of one
    std::int64_t chunks = 0;
    std::uint32_t* counts = nullptr;  ///< of each kind those in each chunk, then those in the chunks before
    std::uint32_t* totals = nullptr;  ///< of each kind
    std::uint32_t* totals_on_host = nullptr;
    std::uint32_t* sorted = nullptr;  ///< rows by their kinds, those of each in their order
    std::uint32_t* empty = nullptr;   ///< a bit for each row

    [[nodiscard]] __device__ offset_t length(offset_t row) const { return row_ptrs[row + 1] - row_ptrs[row]; }
};

/// For each kind the place of the first of its rows that this chunk has.
__device__ void find_places(const RowsToSort& p, std::int64_t chunk, std::uint32_t* places) {
    using Scan = cub::WarpScan<std::uint32_t>;
    typename Scan::TempStorage storage;  // takes no room
    std::uint32_t before = 0;
    for (int first = 0; first < p.kinds.all(); first += kWarpSize) {
        const int kind = first + static_cast<int>(threadIdx.x % kWarpSize);
        std::uint32_t place = kind < p.kinds.all() ? p.totals[kind] : 0;
        std::uint32_t all = 0;
        Scan(storage).ExclusiveSum(place, place, all);
        if (kind < p.kinds.all()) places[kind] = before + place + p.counts[kind * p.chunks + chunk];
        before += all;
    }
}

/// Counts the rows of each kind in each chunk, or puts them into their places.
template <bool kPlaces>
__global__ void __launch_bounds__(kThreads) take_rows(RowsToSort p) {
    extern __shared__ std::uint32_t of_block[];  // of each warp, as many as there are kinds
    const unsigned warp = threadIdx.x / kWarpSize;
    const unsigned lane = threadIdx.x % kWarpSize;
    const std::int64_t chunk = std::int64_t{blockIdx.x} * (blockDim.x / kWarpSize) + warp;
    if (chunk >= p.chunks) return;
    std::uint32_t* const next = of_block + warp * static_cast<unsigned>(p.kinds.all());
    if constexpr (kPlaces) {
        find_places(p, chunk, next);
    } else {
        for (int kind = static_cast<int>(lane); kind < p.kinds.all(); kind += kWarpSize) next[kind] = 0;
    }
    __syncwarp();
    const offset_t end = min((chunk + 1) * p.chunk, offset_t{p.rows});
    for (offset_t first = chunk * p.chunk; first < end; first += kWarpSize) {
        const offset_t row = first + lane;
        const int kind = row < end ? p.kinds.of(p.length(row)) : -1;
        const unsigned alike = __match_any_sync(kAllLanes, kind);
        const int first_alike = __ffs(static_cast<int>(alike)) - 1;
        std::uint32_t place = 0;  // of the first of these lanes
        if (static_cast<int>(lane) == first_alike && kind >= 0)
            place = atomicAdd(next + kind, static_cast<unsigned>(__popc(alike)));
        if constexpr (kPlaces) {
            place =
                __shfl_sync(kAllLanes, place, first_alike) + static_cast<unsigned>(__popc(alike & ((1U << lane) - 1)));
            if (kind >= 0) p.sorted[place] = static_cast<std::uint32_t>(row);
            const unsigned empty = __ballot_sync(kAllLanes, kind == p.kinds.empty());
            if (lane == 0) p.empty[first / kWarpSize] = empty;
        }
    }
    __syncwarp();
    if constexpr (!kPlaces) {
        for (int kind = static_cast<int>(lane); kind < p.kinds.all(); kind += kWarpSize)
            p.counts[kind * p.chunks + chunk] = next[kind];
    }
}

/// Adds up what chunks have, a block for each kind.
__global__ void __launch_bounds__(kThreads) add_chunks(RowsToSort p) {
    constexpr int kItems = 4;
    using Scan = cub::BlockScan<std::uint32_t, kThreads>;
    __shared__ typename Scan::TempStorage storage;
    std::uint32_t* const counts = p.counts + blockIdx.x * p.chunks;
    std::uint32_t before = 0;
    for (std::int64_t part = 0; part < p.chunks; part += kThreads * kItems) {
        const std::int64_t first = part + threadIdx.x * kItems;
        std::uint32_t items[kItems] = {};
        for (int i = 0; i < kItems; ++i) {
            if (first + i < p.chunks) items[i] = counts[first + i];
        }
        std::uint32_t all = 0;
        Scan(storage).ExclusiveSum(items, items, all);
        for (int i = 0; i < kItems; ++i) {
            if (first + i < p.chunks) counts[first + i] = before + items[i];
        }
        before += all;
        __syncthreads();  // before the storage is used again
    }
    if (threadIdx.x == 0) p.totals[blockIdx.x] = p.totals_on_host[blockIdx.x] = before;
}

struct LongRowsToRead {
    const std::uint32_t* rows = nullptr;
    std::int64_t count = 0;
    const offset_t* row_ptrs = nullptr;
    LongRow* to = nullptr;
};

__global__ void __launch_bounds__(kThreads) read_long_rows(LongRowsToRead p) {
    const std::int64_t i = std::int64_t{blockIdx.x} * kThreads + threadIdx.x;
    if (i >= p.count) return;
    const std::uint32_t row = p.rows[i];
    p.to[i] = {row, {p.row_ptrs[row], p.row_ptrs[row + 1] - p.row_ptrs[row]}};
}

/// The slices of the rows of a kind.
struct SlicesOfKind {
    std::uint32_t first_slice = 0;  ///< among those that a kernel writes
    std::uint32_t first_row = 0;    ///< in the plan's rows
    std::uint32_t end_row = 0;
    std::uint16_t steps = 0;
    std::uint16_t lanes_log2 = 0;

    [[nodiscard]] TILESPMV_HD std::uint32_t most_rows() const { return std::uint32_t{kSliceLanes} >> lanes_log2; }
    [[nodiscard]] TILESPMV_HD std::uint32_t count() const {
        return (end_row - first_row + most_rows() - 1) / most_rows();
    }
};

/// Slices by descending rounds, those of as many rounds by their first rows. All kinds of as many rounds are here.
struct SlicesToWrite {
    static constexpr int kMostKinds = 128;
    SlicesOfKind kinds[kMostKinds];
    int kind_count = 0;
    std::uint32_t count = 0;  ///< of slices
    int flight = 0;
    const std::uint32_t* rows = nullptr;
    std::uint64_t first_step = 0;
    SellSlice* slices = nullptr;

    [[nodiscard]] TILESPMV_HD int rounds(const SlicesOfKind& kind) const { return (kind.steps + flight - 1) / flight; }
    /// Slices of a kind before one of so many rounds and this first row. Rows of a kind ascend.
    [[nodiscard]] __device__ std::uint32_t before(const SlicesOfKind& kind, int of_rounds, std::uint32_t row) const {
        if (rounds(kind) != of_rounds) return rounds(kind) > of_rounds ? kind.count() : 0;
        std::uint32_t first = 0;
        for (std::uint32_t end = kind.count(); first < end;) {
            const std::uint32_t middle = first + (end - first) / 2;
            if (rows[kind.first_row + middle * kind.most_rows()] < row)
                first = middle + 1;
            else
                end = middle;
        }
        return first;
    }
};

/// A warp writes a slice, where it finds by the slices before: a sort would take longer.
__global__ void __launch_bounds__(kThreads) write_slices(const __grid_constant__ SlicesToWrite p) {
    __shared__ SlicesOfKind kinds[SlicesToWrite::kMostKinds];
    for (int i = static_cast<int>(threadIdx.x); i < p.kind_count; i += kThreads) kinds[i] = p.kinds[i];
    __syncthreads();
    const std::uint32_t slice = blockIdx.x * (kThreads / kWarpSize) + threadIdx.x / kWarpSize;
    if (slice >= p.count) return;
    const auto lane = static_cast<int>(threadIdx.x % kWarpSize);
    int mine = -1;
    for (int first = 0; first < p.kind_count; first += kWarpSize) {
        const bool begins_before = first + lane < p.kind_count && kinds[first + lane].first_slice <= slice;
        mine += __popc(__ballot_sync(kAllLanes, begins_before));
    }
    const SlicesOfKind of = kinds[mine];
    const std::uint32_t first = of.first_row + (slice - of.first_slice) * of.most_rows();
    const std::uint32_t row = p.rows[first];
    std::uint64_t slices = 0;
    std::uint64_t steps = 0;
    for (int k = lane; k < p.kind_count; k += kWarpSize) {
        const std::uint64_t before = p.before(kinds[k], p.rounds(of), row);
        slices += before;
        steps += before * kinds[k].steps;
    }
    __syncwarp();
    slices = sum_of_warp(slices);
    steps = sum_of_warp(steps);
    if (lane != 0) return;
    p.slices[slices] = {p.first_step + steps, first, of.steps, static_cast<std::uint8_t>(of.lanes_log2),
                        static_cast<std::uint8_t>(min(of.most_rows(), of.end_row - first))};
}

template <class Parameters>
void launch_for_each(std::int64_t count, void (*kernel)(Parameters), const Parameters& parameters,
                     const DeviceContext& on) {
    launch(kernel, div_up(count, std::int64_t{kThreads}), kThreads, parameters, on.stream);
}

class DevicePlanMaker {
public:
    DevicePlanMaker(const DeviceBuffer<offset_t>& row_ptrs, const SliceLimits& limits, const DeviceContext& on)
        : row_ptrs_(row_ptrs.data()),
          rows_(static_cast<index_t>(row_ptrs.size()) - 1),
          limits_(limits),
          kinds_{limits.most_steps, limits.block_warps},
          on_(on) {}

    DeviceSellPlan run() {
        sort_rows();
        cut_long();
        place_rows();
        make();
        if (count_of(kinds_.empty()) == 0) plan_.empty = {};
        return std::move(plan_);
    }

private:
    [[nodiscard]] unsigned count_of(int kind) const { return counts_[static_cast<std::size_t>(kind)]; }

    /// By their kinds, those of each in their order; counts them.
    void sort_rows() {
        constexpr offset_t kLeastChunk = 128;
        constexpr std::size_t kMostShared = std::size_t{48} << 10;
        const auto all = static_cast<std::size_t>(kinds_.all());
        const offset_t most_chunks = std::min<offset_t>(4096, (1 << 20) / kinds_.all());
        const offset_t warps_of_chunk =
            div_up(std::max(div_up(offset_t{rows_}, most_chunks), kLeastChunk), offset_t{kWarpSize});
        RowsToSort p{.kinds = kinds_, .rows = rows_, .row_ptrs = row_ptrs_, .chunk = warps_of_chunk * kWarpSize};
        p.chunks = div_up(offset_t{rows_}, p.chunk);
        const DeviceBuffer<std::uint32_t> counts((static_cast<std::size_t>(p.chunks) + 1) * all, on_);
        sorted_ = DeviceBuffer<std::uint32_t>(static_cast<std::size_t>(rows_), on_);
        plan_.empty = DeviceBuffer<std::uint32_t>(static_cast<std::size_t>(div_up(rows_, kWarpSize)), on_);
        const PinnedMemory totals(all * sizeof(std::uint32_t));
        p.totals = counts.data();
        p.counts = counts.data() + all;
        p.totals_on_host = reinterpret_cast<std::uint32_t*>(totals.data());
        p.sorted = sorted_.data();
        p.empty = plan_.empty.data();
        const std::size_t warp_bytes = all * sizeof(std::uint32_t);
        const auto warps = static_cast<int>(std::min<std::size_t>(kThreads / kWarpSize, kMostShared / warp_bytes));
        const auto take = [&](auto kernel) {
            launch(kernel, div_up(p.chunks, std::int64_t{warps}), warps * kWarpSize, p, on_.stream,
                   static_cast<std::size_t>(warps) * warp_bytes);
        };
        take(take_rows<false>);
        launch(add_chunks, kinds_.all(), kThreads, p, on_.stream);
        take(take_rows<true>);
        TILESPMV_CUDA(cudaStreamSynchronize(on_.stream));
        counts_.assign(p.totals_on_host, p.totals_on_host + all);
        plan_.bytes_to_host = warp_bytes;
    }

    /// Long rows are the last ones. They are few, and cut on the host.
    void cut_long() {
        const auto count = static_cast<std::size_t>(count_of(kinds_.cut()));
        if (count == 0) return;
        const DeviceBuffer<LongRow> there(count, on_);
        const LongRowsToRead p{sorted_.data() + (sorted_.size() - count), static_cast<std::int64_t>(count), row_ptrs_,
                               there.data()};
        launch_for_each(p.count, read_long_rows, p, on_);
        std::vector<LongRow> rows(count);
        copy_to_host(rows.data(), there.data(), there.bytes(), on_.stream);
        plan_.bytes_to_host += there.bytes();
        piece_rows_ = cut_long_rows(rows, limits_, cut_);
        plan_.steps = cut_.steps;
        plan_.splits = std::move(cut_.splits);
        plan_.split_of = std::move(cut_.split_of);
    }

    /// Those of pieces first.
    void place_rows() {
        std::size_t in_slices = 0;
        for (int kind = 0; kind < kinds_.empty(); ++kind) in_slices += count_of(kind);
        const std::size_t pieces = piece_rows_.size();
        if (pieces == 0 && in_slices == sorted_.size()) {
            plan_.rows = std::move(sorted_);
            return;
        }
        plan_.rows = DeviceBuffer<std::uint32_t>(pieces + in_slices, on_);
        if (plan_.rows.empty()) return;
        if (pieces > 0)
            copy_to_device(plan_.rows.data(), piece_rows_.data(), pieces * sizeof(std::uint32_t), on_.stream);
        TILESPMV_CUDA(cudaMemcpyAsync(plan_.rows.data() + pieces, sorted_.data(), in_slices * sizeof(std::uint32_t),
                                      cudaMemcpyDeviceToDevice, on_.stream));
    }

    /// Of each kind that has rows; returns how many slices these are.
    std::size_t list_kinds(std::vector<SlicesOfKind>& kinds) const {
        std::size_t slices = 0;
        auto row = static_cast<std::uint32_t>(piece_rows_.size());
        for (int kind = 0; kind < kinds_.empty(); ++kind) {
            if (count_of(kind) == 0) continue;
            kinds.push_back({0, row, row + count_of(kind), static_cast<std::uint16_t>(kinds_.steps(kind)),
                             static_cast<std::uint16_t>(kinds_.lanes_log2(kind))});
            slices += kinds.back().count();
            row = kinds.back().end_row;
        }
        return slices;
    }

    void make() {
        std::vector<SlicesOfKind> kinds;
        const std::size_t count = list_kinds(kinds);
        const std::size_t pieces = cut_.slices.size();
        const std::size_t padding = padding_slices(pieces + count, pieces, limits_);
        plan_.slices = DeviceBuffer<SellSlice>(pieces + count + padding, on_);
        if (pieces > 0) copy_to_device(plan_.slices.data(), cut_.slices.data(), pieces * sizeof(SellSlice), on_.stream);
        write(kinds, plan_.slices.data() + pieces);
        const std::vector<SellSlice> none(padding, {plan_.steps});
        if (padding > 0) {
            copy_to_device(plan_.slices.data() + pieces + count, none.data(), padding * sizeof(SellSlice), on_.stream);
        }
    }

    /// By as few kernels as have room for the kinds of as many rounds each.
    void write(const std::vector<SlicesOfKind>& kinds, SellSlice* to) {
        SlicesToWrite p{
            .kinds = {}, .flight = limits_.flight, .rows = plan_.rows.data(), .first_step = plan_.steps, .slices = to};
        const int most_alike = limits_.flight * SliceKinds::kWidths;
        for (const SlicesOfKind& kind : kinds) {
            const bool begins = p.kind_count > 0 && p.rounds(kind) != p.rounds(p.kinds[p.kind_count - 1]);
            if (begins && p.kind_count + most_alike > SlicesToWrite::kMostKinds) launch_write(p);
            SlicesOfKind& listed = p.kinds[p.kind_count++] = kind;
            listed.first_slice = p.count;
            p.count += kind.count();
            plan_.steps += std::uint64_t{kind.count()} * kind.steps;
        }
        launch_write(p);
    }

    void launch_write(SlicesToWrite& p) const {
        launch_for_each(std::int64_t{p.count} * kWarpSize, write_slices, p, on_);
        p.slices += p.count;
        p.count = 0;
        p.kind_count = 0;
        p.first_step = plan_.steps;
    }

    const offset_t* row_ptrs_;
    index_t rows_;
    SliceLimits limits_;
    SliceKinds kinds_;
    DeviceContext on_;
    std::vector<unsigned> counts_;        // rows of each kind
    DeviceBuffer<std::uint32_t> sorted_;  // rows by their kinds
    SellPlan cut_;                        // of rows that are cut
    std::vector<std::uint32_t> piece_rows_;
    DeviceSellPlan plan_;
};

}  // namespace

DeviceSellPlan make_sell_plan_there(const DeviceBuffer<offset_t>& row_ptrs, const SliceLimits& limits,
                                    const DeviceContext& on) {
    return DevicePlanMaker(row_ptrs, limits, on).run();
}

}  // namespace tilespmv::cuda
