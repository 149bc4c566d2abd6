#pragma once

#include "kernels/cuda/warp.cuh"

namespace tilespmv::cuda {

/// For a whole warp whose lanes have consecutive nonzeros each, `open` of a lane being the sum behind the last row that
/// ends in it: the sum of the same row over the lane and those before it, a segmented scan. `lanes_with_ends`: a bit a
/// lane in which a row ends.
template <class A>
__device__ A scan_open_rows(A open, unsigned lanes_with_ends) {
    const int lane = static_cast<int>(threadIdx.x) % kWarpSize;
    const unsigned up_to_here = lanes_with_ends & kAllLanes >> (kWarpSize - 1 - lane);
    const int first = up_to_here == 0 ? 0 : kWarpSize - 1 - __clz(static_cast<int>(up_to_here));
#pragma unroll
    for (int step = 1; step < kWarpSize; step *= 2) {
        const A before = __shfl_up_sync(kAllLanes, open, step);
        if (lane - step >= first) open += before;
    }
    return open;
}

/// The same of the lane before: what a row that ends in the lane has in those before it. 0 for the first lane.
template <class A>
__device__ A sum_before(A scanned) {
    const A before = __shfl_up_sync(kAllLanes, scanned, 1);
    return threadIdx.x % kWarpSize > 0 ? before : A(0);
}

}  // namespace tilespmv::cuda
