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
    const std::uint32_t* code_of = nullptr;  ///< of a column; null if there are no hubs

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

/// A warp for each slice. Without codes, values only, of nonzeros only.
template <class V, class C, bool kWithCodes>
__global__ void __launch_bounds__(kSellThreads) fill_sell(const __grid_constant__ SellFill<V, C> p) {
    const std::int64_t number = std::int64_t{blockIdx.x} * kSellWarps + static_cast<int>(threadIdx.x) / kWarpSize;
    if (number >= p.to.slice_count) return;
    const SellSlice slice = load_wide(p.to.slices + number);
    const auto lane = threadIdx.x % kWarpSize;
    const NonzeroRange row = p.row_of(number, slice, lane >> slice.lanes_log2);
    for (unsigned step = 0; step < slice.steps; ++step) {
        const std::uint64_t place = (slice.first_step + step) * kSliceLanes + lane;
        const offset_t i = step * slice.lanes() + lane % slice.lanes();
        const bool is_nonzero = i < row.count;
        if (is_nonzero || kWithCodes) p.values[place] = is_nonzero ? p.csr_values[row.first + i] : V{};
        if constexpr (kWithCodes) {
            auto code = kNoCode<C>;
            if (is_nonzero) {
                const auto col = static_cast<std::uint32_t>(p.csr_cols[row.first + i]);
                code = static_cast<C>(p.code_of == nullptr ? col : p.code_of[col]);
            }
            p.codes[place] = code;
        }
    }
}

/// Where columns and values of CSR go back to.
template <class V, class C>
struct SellToCsr : SellFill<V, C> {
    const index_t* hubs = nullptr;
    std::uint32_t hub_count = 0;
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
        const std::uint32_t code = p.to.codes[place];
        const std::uint32_t col = code < p.hub_count ? static_cast<std::uint32_t>(p.hubs[code]) : code - p.hub_count;
        p.csr.col_idxs[row.first + i] = static_cast<index_t>(col);
        p.csr.values[row.first + i] = p.to.values[place];
    }
}

}  // namespace tilespmv::cuda
