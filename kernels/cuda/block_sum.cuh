#pragma once

#include "kernels/cuda/split.cuh"
#include "kernels/cuda/split_row.hpp"
#include "kernels/cuda/warp.cuh"

/// Sums over a thread block, and over the blocks that share a row.
namespace tilespmv::cuda {

/// Shared memory for it.
template <class A, int kThreads>
struct BlockSumStage {
    A sums[kThreads / kWarpSize];
    bool is_last;
};

/// The sum over the block, the same bits in each thread. All threads call.
template <class A, int kThreads>
__device__ A sum_of_block(A sum, BlockSumStage<A, kThreads>& stage) {
    sum = sum_of_warp(sum);
    if (threadIdx.x % kWarpSize == 0) stage.sums[threadIdx.x / kWarpSize] = sum;
    __syncthreads();
    A total = 0;
    for (const A part : stage.sums) total += part;
    __syncthreads();
    return total;
}

/// Rows whose pieces are in several blocks; see `SplitRow`.
template <class A>
struct DeviceSplits {
    const SplitRow* splits = nullptr;
    A* partials = nullptr;         ///< one a piece
    unsigned* arrivals = nullptr;  ///< one a split row, 0 before and after every product
};

/// Leaves the sum of a piece, which every thread has, as its partial sum. Whether this block is the last of the row's
/// to do so; then `sum` becomes that of all pieces, added in their order.
template <class A, int kThreads>
__device__ bool sum_of_pieces(const DeviceSplits<A>& of, std::int32_t split_at, std::int32_t partial, A& sum,
                              BlockSumStage<A, kThreads>& stage) {
    const SplitRow split = of.splits[split_at];
    if (threadIdx.x == 0) of.partials[partial] = sum;
    if (!is_last_block(of.arrivals[split_at], split.partials, stage.is_last)) return false;
    A part = 0;
    for (std::uint32_t s = threadIdx.x; s < split.partials; s += kThreads) {
        part += __ldcg(of.partials + split.first_partial + s);
    }
    sum = sum_of_block(part, stage);
    return true;
}

}  // namespace tilespmv::cuda
