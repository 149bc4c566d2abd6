#pragma once

#include "kernels/cuda/split.cuh"
#include "kernels/cuda/warp.cuh"

/// Several sums over a block, or over all blocks of a launch, at once, added in an order that the launch shape fixes.
namespace tilespmv::solver {

/// Shared memory for up to kRoom sums.
template <int kRoom>
struct BlockSums {
    double of_warp[kRoom][32];
    bool is_last;
};

/// Sums over a block of whole warps, the same bits in each thread. All threads call.
template <int kSums, int kRoom>
__device__ void sum_over_block(double (&sums)[kSums], BlockSums<kRoom>& stage) {
    static_assert(kSums <= kRoom);
    const int lane = static_cast<int>(threadIdx.x) % cuda::kWarpSize;
    const int warp = static_cast<int>(threadIdx.x) / cuda::kWarpSize;
    const int warps = static_cast<int>(blockDim.x) / cuda::kWarpSize;
    __syncwarp();  // see sum_of_lanes
#pragma unroll
    for (int k = 0; k < kSums; ++k) {
        sums[k] = cuda::sum_of_warp(sums[k]);
        if (lane == 0) stage.of_warp[k][warp] = sums[k];
    }
    __syncthreads();
#pragma unroll
    for (int k = 0; k < kSums; ++k) sums[k] = cuda::sum_of_warp(lane < warps ? stage.of_warp[k][lane] : 0);
    __syncthreads();
}

/// Where blocks leave their sums for the last of them.
struct Partials {
    double* sums = nullptr;        ///< kSums for each block
    unsigned* arrivals = nullptr;  ///< 0 before and after every launch
};

/// Sums over all blocks in the order of their numbers, in the last block to come here, for which it is true.
template <int kSums>
__device__ bool sum_over_blocks(double (&sums)[kSums], const Partials& partials, BlockSums<kSums>& stage) {
    sum_over_block(sums, stage);
    if (gridDim.x == 1) return true;
    if (threadIdx.x == 0) {
#pragma unroll
        for (int k = 0; k < kSums; ++k) partials.sums[blockIdx.x * kSums + k] = sums[k];
    }
    if (!cuda::are_last(*partials.arrivals, gridDim.x, stage.is_last)) return false;
#pragma unroll
    for (int k = 0; k < kSums; ++k) sums[k] = 0;
    for (unsigned block = threadIdx.x; block < gridDim.x; block += blockDim.x) {
#pragma unroll
        for (int k = 0; k < kSums; ++k) sums[k] += __ldcg(partials.sums + block * kSums + k);
    }
    sum_over_block(sums, stage);
    return true;
}

}  // namespace tilespmv::solver
