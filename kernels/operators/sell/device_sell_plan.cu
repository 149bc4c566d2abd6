#include "kernels/operators/sell/device_sell_plan.hpp"

#include <algorithm>
#include <bit>

#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/tabulate_output_iterator.h>
#include <thrust/iterator/transform_iterator.h>
#include <cub/device/device_scan.cuh>

#include "kernels/cuda/launch.cuh"
#include "kernels/cuda/sort_pairs.cuh"
#include "kernels/cuda/tuning.hpp"
#include "kernels/cuda/warp.cuh"

namespace tilespmv::cuda {
namespace {

constexpr int kThreads = kElementwiseThreads;
constexpr std::int64_t kMostBlocks = 1 << 10;  ///< that count rows in memory of their own

struct RowsToSort {
    SliceKinds kinds;
    index_t rows = 0;
    const offset_t* row_ptrs = nullptr;
    std::uint16_t* kind_of = nullptr;
    std::uint32_t* numbers = nullptr;  ///< of the rows
    unsigned* counts = nullptr;        ///< of the rows of each kind

    [[nodiscard]] __device__ offset_t length(offset_t row) const { return row_ptrs[row + 1] - row_ptrs[row]; }
};

/// Counts the kind of each lane that has a row in shared memory: neighbouring rows are often of one.
__device__ void count_kind(unsigned* counts, int kind, bool is_row) {
    const int first = __shfl_sync(kAllLanes, kind, 0);
    if (__all_sync(kAllLanes, is_row && kind == first) == 0) {
        if (is_row) atomicAdd(counts + kind, 1U);
    } else if (threadIdx.x % kWarpSize == 0) {
        atomicAdd(counts + kind, static_cast<unsigned>(kWarpSize));
    }
}

__global__ void __launch_bounds__(kThreads) name_kinds(RowsToSort p) {
    extern __shared__ unsigned of_block[];
    for (int kind = static_cast<int>(threadIdx.x); kind < p.kinds.all(); kind += kThreads) of_block[kind] = 0;
    __syncthreads();
    for (offset_t first = offset_t{blockIdx.x} * kThreads; first < p.rows; first += offset_t{gridDim.x} * kThreads) {
        const offset_t row = first + threadIdx.x;
        const bool is_row = row < p.rows;
        const int kind = is_row ? p.kinds.of(p.length(row)) : 0;
        count_kind(of_block, kind, is_row);
        if (!is_row) continue;
        p.kind_of[row] = static_cast<std::uint16_t>(kind);
        p.numbers[row] = static_cast<std::uint32_t>(row);
    }
    __syncthreads();
    for (int kind = static_cast<int>(threadIdx.x); kind < p.kinds.all(); kind += kThreads) {
        if (of_block[kind] > 0) atomicAdd(p.counts + kind, of_block[kind]);
    }
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
    std::uint32_t first_slice = 0;  ///< among those of all kinds
    std::uint32_t first_row = 0;    ///< in the plan's rows
    std::uint32_t end_row = 0;
    std::uint16_t steps = 0;
    std::uint8_t lanes_log2 = 0;
};

struct SlicesToMake {
    const SlicesOfKind* kinds = nullptr;
    int kind_count = 0;
    std::int64_t count = 0;  ///< of slices
    const std::uint32_t* rows = nullptr;
    int flight = 0;
    int most_rounds = 0;
    int row_bits = 0;
    std::uint64_t* keys = nullptr;  ///< descending rounds, then ascending first rows
    /// Slices without their places among the steps, as numbers: first row, steps, lanes and rows from the lowest bits
    /// on.
    std::uint64_t* shapes = nullptr;
};

__global__ void __launch_bounds__(kThreads) make_slices(SlicesToMake p) {
    const std::int64_t i = std::int64_t{blockIdx.x} * kThreads + threadIdx.x;
    if (i >= p.count) return;
    int kind = 0;
    for (int end = p.kind_count; end - kind > 1;) {
        const int middle = (kind + end) / 2;
        if (p.kinds[middle].first_slice <= i)
            kind = middle;
        else
            end = middle;
    }
    const SlicesOfKind of = p.kinds[kind];
    const unsigned most = unsigned{kSliceLanes} >> of.lanes_log2;
    const std::uint32_t first = of.first_row + (static_cast<std::uint32_t>(i) - of.first_slice) * most;
    const unsigned rows = min(most, of.end_row - first);
    const auto later = static_cast<std::uint64_t>(p.most_rounds - (of.steps + p.flight - 1) / p.flight);
    p.keys[i] = later << p.row_bits | p.rows[first];
    p.shapes[i] = std::uint64_t{first} | std::uint64_t{of.steps} << 32 | std::uint64_t{of.lanes_log2} << 48 |
                  std::uint64_t{rows} << 56;
}

__device__ unsigned steps_of(std::uint64_t shape) { return static_cast<unsigned>(shape >> 32 & 0xffffU); }

struct StepsOfSlice {
    const std::uint64_t* shapes = nullptr;
    __device__ std::uint64_t operator()(std::int64_t i) const { return steps_of(shapes[i]); }
};

struct Add {
    __device__ std::uint64_t operator()(std::uint64_t a, std::uint64_t b) const { return a + b; }
};

/// Writes a slice, given the steps of those before it.
struct WriteSlice {
    const std::uint64_t* shapes = nullptr;
    SellSlice* slices = nullptr;
    __device__ void operator()(std::int64_t i, std::uint64_t first_step) const {
        const std::uint64_t shape = shapes[i];
        slices[i] = {first_step, static_cast<std::uint32_t>(shape), static_cast<std::uint16_t>(steps_of(shape)),
                     static_cast<std::uint8_t>(shape >> 48), static_cast<std::uint8_t>(shape >> 56)};
    }
};

struct EmptyRowsToMark {
    index_t rows = 0;
    const offset_t* row_ptrs = nullptr;
    std::uint32_t* words = nullptr;
};

/// A thread a row, a warp a word.
__global__ void __launch_bounds__(kThreads) mark_empty(EmptyRowsToMark p) {
    const offset_t row = offset_t{blockIdx.x} * kThreads + threadIdx.x;
    const unsigned bits = __ballot_sync(kAllLanes, row < p.rows && p.row_ptrs[row + 1] == p.row_ptrs[row]);
    if (row % kWarpSize == 0 && row < p.rows) p.words[row / kWarpSize] = bits;
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
        if (counts_[static_cast<std::size_t>(kinds_.empty())] > 0) {
            plan_.empty = DeviceBuffer<std::uint32_t>(static_cast<std::size_t>(div_up(rows_, kWarpSize)), on_);
            launch_for_each(rows_, mark_empty, EmptyRowsToMark{rows_, row_ptrs_, plan_.empty.data()}, on_);
        }
        return std::move(plan_);
    }

private:
    [[nodiscard]] unsigned count_of(int kind) const { return counts_[static_cast<std::size_t>(kind)]; }

    /// By their kinds, those of each in their order; counts them.
    void sort_rows() {
        const auto rows = static_cast<std::size_t>(rows_);
        const auto all = static_cast<std::size_t>(kinds_.all());
        DeviceBuffer<std::uint16_t> kinds(rows, on_);
        DeviceBuffer<std::uint32_t> numbers(rows, on_);
        const DeviceBuffer<unsigned> counts(all, on_);
        TILESPMV_CUDA(cudaMemsetAsync(counts.data(), 0, counts.bytes(), on_.stream));
        const RowsToSort p{kinds_, rows_, row_ptrs_, kinds.data(), numbers.data(), counts.data()};
        launch(name_kinds, std::min(div_up(std::int64_t{rows_}, std::int64_t{kThreads}), kMostBlocks), kThreads, p,
               on_.stream, all * sizeof(unsigned));
        counts_.resize(all);
        counts.download(counts_, on_.stream);
        plan_.bytes_to_host = counts.bytes();
        if (std::ranges::count_if(counts_, [](unsigned count) { return count > 0; }) > 1) {
            DeviceBuffer<std::uint16_t> other_kinds(rows, on_);
            DeviceBuffer<std::uint32_t> other_numbers(rows, on_);
            cub::DoubleBuffer<std::uint16_t> both_kinds(kinds.data(), other_kinds.data());
            cub::DoubleBuffer<std::uint32_t> both(numbers.data(), other_numbers.data());
            const auto bits = static_cast<int>(std::bit_width(static_cast<unsigned>(kinds_.cut())));
            sort_pairs(both_kinds, both, rows_, bits, on_);
            if (both.Current() != numbers.data()) std::swap(numbers, other_numbers);
        }
        sorted_ = std::move(numbers);
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
        piece_rows_ = cut_long_rows(std::move(rows), limits_, cut_);
        for (SellSlice& slice : cut_.slices) {
            slice.first_step = plan_.steps;
            plan_.steps += slice.steps;
        }
        plan_.splits = cut_.splits;
        plan_.split_of = cut_.split_of;
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
        copy_to_device(plan_.rows.data(), piece_rows_.data(), pieces * sizeof(std::uint32_t), on_.stream);
        TILESPMV_CUDA(cudaMemcpyAsync(plan_.rows.data() + pieces, sorted_.data(), in_slices * sizeof(std::uint32_t),
                                      cudaMemcpyDeviceToDevice, on_.stream));
    }

    /// The slices of each kind that has rows; returns how many there are in all.
    std::size_t list_kinds(std::vector<SlicesOfKind>& kinds) {
        std::size_t slices = 0;
        auto row = static_cast<std::uint32_t>(piece_rows_.size());
        for (int kind = 0; kind < kinds_.empty(); ++kind) {
            const std::uint32_t rows = count_of(kind);
            if (rows == 0) continue;
            const int steps = kinds_.steps(kind);
            const int lanes_log2 = kinds_.lanes_log2(kind);
            kinds.push_back({static_cast<std::uint32_t>(slices), row, row + rows, static_cast<std::uint16_t>(steps),
                             static_cast<std::uint8_t>(lanes_log2)});
            const auto of_kind = static_cast<std::size_t>(div_up(rows, kSliceLanes >> lanes_log2));
            slices += of_kind;
            steps_ += of_kind * static_cast<std::uint64_t>(steps);
            row += rows;
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
        if (count > 0) make_slices_of(kinds, count, plan_.slices.data() + pieces);
        plan_.steps += steps_;
        const std::vector<SellSlice> none(padding, {plan_.steps});
        if (padding > 0) {
            copy_to_device(plan_.slices.data() + pieces + count, none.data(), padding * sizeof(SellSlice), on_.stream);
        }
    }

    void make_slices_of(const std::vector<SlicesOfKind>& kinds, std::size_t count, SellSlice* to) {
        const DeviceBuffer<SlicesOfKind> kinds_there(std::span<const SlicesOfKind>(kinds), on_);
        const bool is_sorted = kinds.size() == 1;
        const DeviceBuffer<std::uint64_t> scratch((is_sorted ? 2 : 4) * count, on_);
        std::uint64_t* const keys = scratch.data();
        cub::DoubleBuffer<std::uint64_t> shapes(keys + count, keys + 2 * count);
        SlicesToMake p{.kinds = kinds_there.data(),
                       .kind_count = static_cast<int>(kinds.size()),
                       .count = static_cast<std::int64_t>(count),
                       .rows = plan_.rows.data(),
                       .flight = limits_.flight,
                       .most_rounds = static_cast<int>(div_up(limits_.most_steps, limits_.flight)),
                       .row_bits = static_cast<int>(std::bit_width(static_cast<unsigned>(rows_))),
                       .keys = keys,
                       .shapes = shapes.Current()};
        launch_for_each(p.count, make_slices, p, on_);
        if (!is_sorted) {
            cub::DoubleBuffer<std::uint64_t> both_keys(keys, keys + 3 * count);
            const int bits = p.row_bits + static_cast<int>(std::bit_width(static_cast<unsigned>(p.most_rounds)));
            sort_pairs(both_keys, shapes, static_cast<index_t>(count), bits, on_);
        }
        const auto steps =
            thrust::make_transform_iterator(thrust::counting_iterator<std::int64_t>(0), StepsOfSlice{shapes.Current()});
        const auto slices = thrust::make_tabulate_output_iterator(WriteSlice{shapes.Current(), to});
        with_cub_workspace(
            [&](void* workspace, std::size_t& bytes) {
                return cub::DeviceScan::ExclusiveScan(workspace, bytes, steps, slices, Add{}, plan_.steps, p.count,
                                                      on_.stream);
            },
            on_);
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
    std::uint64_t steps_ = 0;  // of the slices of all kinds
    DeviceSellPlan plan_;
};

}  // namespace

DeviceSellPlan make_sell_plan_there(const DeviceBuffer<offset_t>& row_ptrs, const SliceLimits& limits,
                                    const DeviceContext& on) {
    return DevicePlanMaker(row_ptrs, limits, on).run();
}

}  // namespace tilespmv::cuda
