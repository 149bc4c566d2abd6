#pragma once

#include <cstdint>
#include <limits>

#include "kernels/cuda/warp.cuh"
#include "kernels/operators/strip/find_strips.hpp"

namespace tilespmv::cuda {

inline constexpr std::uint32_t kNoColumn = 0xffffffff;

template <class T, class F>
__device__ T over_half_warp(T value, F&& combine) {
#pragma unroll
    for (int apart = kTileSize / 2; apart > 0; apart /= 2)
        value = combine(value, __shfl_xor_sync(kAllLanes, value, apart));
    return value;
}

/// A row of a strip, that of a lane of half a warp; all lanes of a warp make one and call its functions together. It is
/// empty if it is no row of the matrix.
struct LaneRow {
    int lane;  ///< of the strip
    bool is_there;
    offset_t first;
    offset_t end;

    __device__ LaneRow(const DeviceRows& a, std::int64_t tile_row) : lane(static_cast<int>(threadIdx.x) % kTileSize) {
        const std::int64_t row = tile_row * kTileSize + lane;
        is_there = row < a.rows;
        first = is_there ? a.row_ptrs[row] : 0;
        end = is_there ? a.row_ptrs[row + 1] : 0;
    }
    [[nodiscard]] __device__ offset_t length() const { return end - first; }
    [[nodiscard]] __device__ offset_t longest() const {
        return over_half_warp(length(), [](offset_t a, offset_t b) { return max(a, b); });
    }
};

/// The first and the last column of a strip whose rows are those of half a warp.
struct StripSpan {
    index_t least;
    index_t greatest;
    __device__ StripSpan(const DeviceRows& a, const LaneRow& row) {
        least = row.length() > 0 ? a.col_idxs[row.first] : std::numeric_limits<index_t>::max();
        greatest = row.length() > 0 ? a.col_idxs[row.end - 1] : 0;
        least = over_half_warp(least, [](index_t left, index_t right) { return min(left, right); });
        greatest = over_half_warp(greatest, [](index_t left, index_t right) { return max(left, right); });
    }
};

/// Slot `k` of a strip, as a lane sees it.
struct LaneSlot {
    bool is_there;  ///< false in a strip with fewer slots than the other one of the warp
    int k;
    std::uint32_t base;
    std::uint32_t code;
    bool is_taken;  ///< by a nonzero of the lane's row, whose column is base + code
};

/// Calls f(slot) for the slots of a strip, filled by windows as in `Strips`, and returns their number, or
/// `most + 1` where there are more, of which it may call f for some.
template <class F>
__device__ int for_each_slot(const DeviceRows& a, const LaneRow& row, int most, F&& f) {
    const bool fits = row.longest() <= most;
    offset_t at = fits ? row.first : row.end;
    const auto column_at = [&](offset_t k) {
        return k < row.end ? static_cast<std::uint32_t>(a.col_idxs[k]) : kNoColumn;
    };
    constexpr int kAhead = 4;  // loads of a lane on their way
    std::uint32_t columns[kAhead];
#pragma unroll
    for (int i = 0; i < kAhead; ++i) columns[i] = column_at(at + i);
    int slots = 0;
    while (true) {
        const auto base =
            over_half_warp(columns[0], [](std::uint32_t left, std::uint32_t right) { return min(left, right); });
        const bool is_there = base != kNoColumn && slots <= most;
        if (__any_sync(kAllLanes, is_there) == 0) break;
        const std::uint32_t code = columns[0] - base;
        const LaneSlot slot{is_there, slots, base, code, is_there && columns[0] != kNoColumn && code < kTileSize};
        f(slot);
        slots += is_there ? 1 : 0;
        if (slot.is_taken) {
#pragma unroll
            for (int i = 1; i < kAhead; ++i) columns[i - 1] = columns[i];
            columns[kAhead - 1] = column_at(at++ + kAhead);
        }
        __syncwarp();
    }
    return fits ? slots : most + 1;
}

}  // namespace tilespmv::cuda
