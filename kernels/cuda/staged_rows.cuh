#pragma once

#include "kernels/cuda/tuning.hpp"
#include "kernels/cuda/warp.cuh"

namespace tilespmv::cuda {

/// The place of a row among partial products in shared memory.
struct RowSpan {
    int begin = 0;
    int end = 0;
};

/// What thread `lane` of the 2^log2 (at most a warp) that have a row adds to its sum, `products` being in shared
/// memory. A row much longer than most is added by the whole warp, for lane 0. All lanes of the warp call, those
/// without a row with an empty one.
template <class A>
__device__ A share_of_row(const A* products, RowSpan row, int log2, int lane) {
    const int warp_lane = static_cast<int>(threadIdx.x) % kWarpSize;
    const bool is_long = row.end - row.begin > kLongRow << log2;
    A sum = 0;
    for (unsigned rows = __ballot_sync(kAllLanes, is_long && lane == 0); rows != 0; rows &= rows - 1) {
        const int owner = __ffs(static_cast<int>(rows)) - 1;
        const int end = __shfl_sync(kAllLanes, row.end, owner);
        A part = 0;
        for (int k = __shfl_sync(kAllLanes, row.begin, owner) + warp_lane; k < end; k += kWarpSize) part += products[k];
        part = sum_of_warp(part);
        if (warp_lane == owner) sum = part;
    }
    if (is_long) return sum;
    for (int k = row.begin + lane; k < row.end; k += 1 << log2) sum += products[k];
    return sum;
}

/// Sums of rows whose partial products are in shared memory, 2^log2 threads (at most a warp) of a team for each:
/// calls `span_of(r)` for the RowSpan of row r of the block, empty from the last row on, and `write(r, sum)` by one
/// thread. `first` is span_of(thread >> log2), which may be asked for early.
template <class Team, class A, class SpanOf, class Write>
__device__ void sum_staged_rows(const A* products, RowSpan first, int rows, int log2, SpanOf&& span_of, Write&& write) {
    const int thread = Team::thread();
    const int at_once = Team::kThreads >> log2;
    const int lane = thread & ((1 << log2) - 1);
    RowSpan row = first;
    int r = thread >> log2;
#pragma unroll 1
    for (int base = 0; base < rows; base += at_once, r += at_once) {
        A sum = share_of_row(products, row, log2, lane);
        for (int step = 1 << log2 >> 1; step > 0; step /= 2) sum += __shfl_xor_sync(kAllLanes, sum, step);
        if (lane == 0 && r < rows) write(r, sum);
        row = span_of(r + at_once);
    }
}

}  // namespace tilespmv::cuda
