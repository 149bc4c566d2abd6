#pragma once

#include <cstdint>

#include <cuda_pipeline.h>
#include <cuda_runtime.h>

#include "tile/tile_matrix.hpp"

namespace tilespmv::cuda {

inline constexpr int kWarpSize = 32;
inline constexpr unsigned kAllLanes = 0xffffffffu;

/// Every format keeps its sums the same way: lane l holds a part of row l % 16 of the tile row, and the two lanes of a
/// row take turns.
struct Lane {
    int id;
    int row;   ///< 0 to 15
    int half;  ///< 0 or 1

    __device__ Lane() : id(static_cast<int>(threadIdx.x) % kWarpSize), row(id % kTileSize), half(id / kTileSize) {}
};

/// The lanes that work on one tile: all 32, two a row, or one half of the warp, one a row, while the other half works
/// on another tile.
struct Team {
    int row;
    int part;   ///< of the row's lanes, from 0
    int parts;  ///< lanes a row
};

/// Begins the copy of `bytes` bytes at any address to 16-byte aligned shared memory, by the whole warp and in 16-byte
/// steps, so up to 15 bytes before and behind come along. Returns where the first byte will be.
__device__ inline const char* copy_async(char* shared, const void* global, int bytes, Lane lane) {
    const auto address = reinterpret_cast<std::uintptr_t>(global);
    const int shift = static_cast<int>(address % 16);
    const char* from = reinterpret_cast<const char*>(address - static_cast<unsigned>(shift));
#pragma unroll 1
    for (int at = lane.id * 16; at < shift + bytes; at += kWarpSize * 16) {
        __pipeline_memcpy_async(shared + at, from + at, 16);
    }
    return shared + shift;
}

/// Waits for the copies of the whole warp.
__device__ inline void wait_for_copies() {
    __pipeline_commit();
    __pipeline_wait_prior(0);
    __syncwarp();
}

/// Sums before this lane's, over the warp.
__device__ inline unsigned exclusive_scan(unsigned value, Lane lane) {
    unsigned sum = value;
    for (int step = 1; step < kWarpSize; step *= 2) {
        const unsigned before = __shfl_up_sync(kAllLanes, sum, static_cast<unsigned>(step));
        if (lane.id >= step) sum += before;
    }
    return sum - value;
}

/// The sum over the warp, the same bits in every lane.
template <class A>
__device__ A sum_of_warp(A value) {
    for (int step = kWarpSize / 2; step > 0; step /= 2) value += __shfl_xor_sync(kAllLanes, value, step);
    return value;
}

/// The entry that another lane holds.
__device__ inline TileEntry shuffle(TileEntry entry, int lane) {
    static_assert(sizeof(TileEntry) == sizeof(long long));
    long long bits = 0;
    memcpy(&bits, &entry, sizeof bits);
    bits = __shfl_sync(kAllLanes, bits, lane);
    memcpy(&entry, &bits, sizeof bits);
    return entry;
}

/// Writes the members of a set of lanes to `list` in ascending order, for the whole warp to read.
__device__ inline void list_lanes(unsigned lanes, std::uint8_t* list, Lane lane) {
    const unsigned below = (1u << lane.id) - 1u;
    if ((lanes >> lane.id & 1u) != 0) list[__popc(lanes & below)] = static_cast<std::uint8_t>(lane.id);
    __syncwarp();
}

/// Which lanes of the warp have `row` (0 to 15) equal to that of the calling lane's `wanted`.
__device__ inline unsigned lanes_of_row(int row, bool active, int wanted) {
    unsigned lanes = __ballot_sync(kAllLanes, active);
    for (int bit = 0; bit < 4; ++bit) {
        const unsigned ones = __ballot_sync(kAllLanes, (row >> bit & 1) != 0);
        lanes &= (wanted >> bit & 1) != 0 ? ones : ~ones;
    }
    return lanes;
}

}  // namespace tilespmv::cuda
