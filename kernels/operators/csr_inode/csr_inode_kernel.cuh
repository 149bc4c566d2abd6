#pragma once

#include "kernels/cuda/dependent_launch.cuh"
#include "kernels/cuda/load.cuh"
#include "kernels/cuda/product.cuh"
#include "kernels/cuda/tuning.hpp"
#include "kernels/cuda/warp.cuh"
#include "kernels/operators/csr_inode/inodes.hpp"

namespace tilespmv::cuda {

/// Everything one product reads and writes, all of it in device memory.
template <class V, class A>
struct InodeSpmv : ProductTerms<V, A> {
    const Inode* inodes = nullptr;
    std::int64_t count = 0;
    const index_t* col_idxs = nullptr;
    const V* values = nullptr;
};

/// kThreads threads an inode of at most kRows rows, all of them in one warp, each with kFlight columns in flight. No
/// load depends on a condition: columns behind the last one repeat it, and so do rows. How many warps a multiprocessor
/// holds, `inode_warps`, follows from the registers: where the compiler is told, it spills some.
template <class V, class A, int kRows, int kThreads, int kFlight>
__global__ void __launch_bounds__(kVectorThreads) csr_inode(const __grid_constant__ InodeSpmv<V, A> p) {
    static_assert(kRows <= kThreads, "each row is written by a thread of its own");
    const std::int64_t at = (std::int64_t{blockIdx.x} * kVectorThreads + threadIdx.x) / kThreads;
    const int lane = static_cast<int>(threadIdx.x) % kThreads;
    const Inode inode = load_wide(p.inodes + (at < p.count ? at : p.count));
    const Inode next = load_wide(p.inodes + (at < p.count ? at + 1 : p.count));
    const int rows = next.first_row - inode.first_row;
    const auto length = static_cast<unsigned>(next.first_col - inode.first_col);
    const index_t* const cols = as_one(p.col_idxs + inode.first_col);
    const V* row_values[kRows];
#pragma unroll
    for (int r = 0; r < kRows; ++r)
        row_values[r] = as_one(p.values + inode.first_value + std::int64_t{min(r, rows - 1)} * length);
    A sums[kRows] = {};
    for (unsigned first = static_cast<unsigned>(lane); first < length; first += kFlight * kThreads) {
        index_t col[kFlight];
        V values[kRows][kFlight];
        V x[kFlight];
#pragma unroll
        for (int i = 0; i < kFlight; ++i) {
            const unsigned k = min(first + i * kThreads, length - 1);
            col[i] = load_once(cols + k, p.cache_policy);
#pragma unroll
            for (int r = 0; r < kRows; ++r) values[r][i] = load_once(row_values[r] + k, p.cache_policy);
        }
        wait_for_stream();
#pragma unroll
        for (int i = 0; i < kFlight; ++i) x[i] = load_x(p.x + col[i]);
#pragma unroll
        for (int i = 0; i < kFlight; ++i) {
            if (first + i * kThreads >= length) continue;
#pragma unroll
            for (int r = 0; r < kRows; ++r) sums[r] += static_cast<A>(values[r][i]) * static_cast<A>(x[i]);
        }
    }
    wait_for_stream();  // threads without nonzeros, too
    A own = 0;
#pragma unroll
    for (int r = 0; r < kRows; ++r) {
        const A sum = sum_of_lanes<kThreads>(sums[r]);
        if (lane == r) own = sum;
    }
    if (lane < rows) p.write(inode.first_row + lane, own);
}

}  // namespace tilespmv::cuda
