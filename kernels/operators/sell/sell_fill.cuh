#pragma once

#include "kernels/cuda/device_operator.hpp"
#include "kernels/cuda/load.cuh"
#include "kernels/operators/sell/sell_kernel.cuh"

namespace tilespmv::cuda {

/// Puts columns and values of CSR where a `SellPlan` has them.
template <class V, class C>
struct SellFill {
    DeviceSell<V, C> to;
    V* values = nullptr;
    const offset_t* row_ptrs = nullptr;
    const V* csr_values = nullptr;
    // What new values leave as it is:
    C* codes = nullptr;
    const index_t* csr_cols = nullptr;

    /// The nonzeros of the `r`-th row of a slice.
    __device__ NonzeroRange row_of(std::int64_t number, const SellSlice& slice, unsigned r) const {
        if (number >= to.pieces && r >= slice.rows) return {};
        const std::uint32_t row = to.rows[slice.first_row + r];
        const NonzeroRange all{row_ptrs[row], row_ptrs[row + 1] - row_ptrs[row]};
        if (number >= to.pieces) return all;
        const SplitRow split = to.splits[to.split_of[number]];
        return piece_of(all, number - split.first_partial, split.partials);
    }
};

/// A warp for each slice, several steps at a time, so that what a lane reads of a sector it reads together. Without
/// codes, values only.
template <class V, class C, bool kWithCodes>
__global__ void __launch_bounds__(kSellThreads) fill_sell(const __grid_constant__ SellFill<V, C> p) {
    const std::int64_t number = std::int64_t{blockIdx.x} * kSellWarps + static_cast<int>(threadIdx.x) / kWarpSize;
    constexpr unsigned kTogether = 8;
    if (number >= p.to.slice_count) return;
    const SellSlice slice = load_wide(p.to.slices + number);
    const auto lane = threadIdx.x % kWarpSize;
    const NonzeroRange row = p.row_of(number, slice, lane >> slice.lanes_log2);
    for (unsigned first = 0; first < slice.steps; first += kTogether) {
        V values[kTogether];
        [[maybe_unused]] C codes[kTogether];
#pragma unroll
        for (unsigned k = 0; k < kTogether; ++k) {
            const offset_t i = (first + k) * slice.lanes() + lane % slice.lanes();
            const bool is_nonzero = i < row.count;
            values[k] = is_nonzero ? load_often(p.csr_values + row.first + i) : V{};
            if constexpr (kWithCodes) {
                codes[k] = is_nonzero ? static_cast<C>(load_often(p.csr_cols + row.first + i)) : kNoCode<C>;
            }
        }
#pragma unroll
        for (unsigned k = 0; k < kTogether; ++k) {
            if (first + k >= slice.steps) break;
            const std::uint64_t place = (slice.first_step + first + k) * kSliceLanes + lane;
            p.values[place] = values[k];
            if constexpr (kWithCodes) p.codes[place] = codes[k];
        }
    }
}

/// Where columns and values of CSR go back to.
template <class V, class C>
struct SellToCsr : SellFill<V, C> {
    CsrToWrite<V> csr;
};

/// A warp for each slice.
template <class V, class C>
__global__ void __launch_bounds__(kSellThreads) read_sell(const __grid_constant__ SellToCsr<V, C> p) {
    const std::int64_t number = std::int64_t{blockIdx.x} * kSellWarps + static_cast<int>(threadIdx.x) / kWarpSize;
    if (number >= p.to.slice_count) return;
    const SellSlice slice = p.to.slices[number];
    const auto lane = threadIdx.x % kWarpSize;
    const NonzeroRange row = p.row_of(number, slice, lane >> slice.lanes_log2);
    for (unsigned step = 0; step < slice.steps; ++step) {
        const std::uint64_t place = (slice.first_step + step) * kSliceLanes + lane;
        const offset_t i = step * slice.lanes() + lane % slice.lanes();
        if (i >= row.count) continue;
        p.csr.col_idxs[row.first + i] = static_cast<index_t>(p.to.codes[place]);
        p.csr.values[row.first + i] = p.to.values[place];
    }
}

}  // namespace tilespmv::cuda
