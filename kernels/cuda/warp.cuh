#pragma once

#include <cuda_runtime.h>

#include "tile/types.hpp"

namespace tilespmv::cuda {

inline constexpr int kWarpSize = 32;
inline constexpr unsigned kAllLanes = 0xffffffffu;

/// Lane l of a warp keeps sums of row l % 16 of a tile row.
struct Lane {
    int id;
    int row;   ///< 0 to 15
    int half;  ///< 0 or 1

    __device__ Lane() : id(static_cast<int>(threadIdx.x) % kWarpSize), row(id % kTileSize), half(id / kTileSize) {}
};

/// The sum over `width` neighbouring lanes (a power of 2, at most 32), the same bits in each of them. Lanes that come
/// from loops of different lengths meet at a `__syncwarp` before: where the compiler does not know that they have met,
/// a branch takes them, one shuffle at a time, through code that is several times as slow (`bench/NOTES.md`, "Lanes
/// that have not met").
template <int width, class A>
__device__ A sum_of_lanes(A value) {
    for (int step = width / 2; step > 0; step /= 2) value += __shfl_xor_sync(kAllLanes, value, step);
    return value;
}

template <class A>
__device__ A sum_of_warp(A value) {
    return sum_of_lanes<kWarpSize>(value);
}

}  // namespace tilespmv::cuda
