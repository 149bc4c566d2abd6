#pragma once

#include <cub/block/block_merge_sort.cuh>

#include "kernels/operators/strip/find_strips.hpp"
#include "kernels/operators/strip/strip_lanes.cuh"

namespace tilespmv::cuda {

inline constexpr int kFindThreads = 256;
/// Slots in the key of a tile row that is left out, more than any strip has.
inline constexpr int kLeftOut = 1023;
inline constexpr std::uint64_t kTags = (1U << kKeyTagBits) - 1;
/// In the tag of a key, until it is sorted.
inline constexpr std::uint64_t kHasHoles = 1;

/// Tile rows that are to become strips.
struct StripsToFind {
    DeviceRows a;
    StripLimits limits;
    std::int64_t count = 0;
    const std::uint32_t* tile_rows = nullptr;  ///< null: all
    std::uint64_t* keys = nullptr;             ///< of each (`strip_key`)
    std::uint64_t* sorted = nullptr;  ///< keys of each part, ascending, tagged with their positions in the part
    std::uint8_t* repeats = nullptr;  ///< of those, whether the pattern is that of the one before

    /// Behind the last one a tile row without rows.
    [[nodiscard]] __device__ std::int64_t tile_row(std::int64_t i) const {
        if (i >= count) return std::int64_t{1} << 32;
        return tile_rows == nullptr ? i : std::int64_t{tile_rows[i]};
    }
    /// That half a warp works on.
    [[nodiscard]] static __device__ std::int64_t strip() {
        return (std::int64_t{blockIdx.x} * kFindThreads + threadIdx.x) / kTileSize;
    }
    __device__ void set_key(std::int64_t i, int slots, std::uint64_t hash, bool holes) const {
        if (threadIdx.x % kTileSize != 0 || i >= count) return;
        keys[i] = strip_key(slots > limits.max_slots ? kLeftOut : slots, hash) | (holes ? kHasHoles : 0);
    }
};

/// Half a warp counts the slots of a strip that is filled by windows.
__global__ void __launch_bounds__(kFindThreads) find_window_keys(const __grid_constant__ StripsToFind p) {
    const std::int64_t i = StripsToFind::strip();
    const std::int64_t tile_row = p.tile_row(i);
    const LaneRow row(p.a, tile_row);
    const auto row0 = static_cast<std::int32_t>(tile_row * kTileSize);
    std::uint64_t hash = 0;
    bool holes = false;
    const int slots = for_each_slot(p.a, row, p.limits.max_slots, [&](const LaneSlot& slot) {
        if (slot.is_taken) hash = hashed(hash, static_cast<std::int32_t>(slot.base + slot.code) - row0);
        holes = holes || (slot.is_there && row.is_there && !slot.is_taken);
    });
    hash = over_half_warp(mixed(hash, row.lane), [](std::uint64_t a, std::uint64_t b) { return a + b; });
    const int has_holes = over_half_warp(holes ? 1 : 0, [](int a, int b) { return a | b; });
    p.set_key(i, slots, hash, has_holes != 0);
}

/// The same of one that is filled by rank.
__global__ void __launch_bounds__(kFindThreads) find_rank_keys(const __grid_constant__ StripsToFind p) {
    const std::int64_t i = StripsToFind::strip();
    const LaneRow row(p.a, p.tile_row(i));
    const StripSpan span(p.a, row);
    const offset_t longest = row.longest();
    const bool is_far = longest > 0 && span.greatest - span.least >= index_t{kRankHole};
    const bool is_left_out = is_far || longest > p.limits.max_slots;
    const int has_holes =
        over_half_warp(row.is_there && row.length() < longest ? 1 : 0, [](int a, int b) { return a | b; });
    p.set_key(i, is_left_out ? kLeftOut : static_cast<int>(longest), 0, has_holes != 0);
}

/// A thread for each strip of a part.
__global__ void __launch_bounds__(kTileRowsOfPart) sort_strips(const __grid_constant__ StripsToFind p) {
    using Sort = cub::BlockMergeSort<std::uint64_t, kTileRowsOfPart, 1>;
    __shared__ typename Sort::TempStorage storage;
    const std::int64_t i = std::int64_t{blockIdx.x} * kTileRowsOfPart + threadIdx.x;
    std::uint64_t key[1] = {i < p.count ? (p.keys[i] & ~kTags) | threadIdx.x : ~std::uint64_t{0}};
    Sort(storage).Sort(key, [](std::uint64_t left, std::uint64_t right) { return left < right; });
    if (i < p.count) p.sorted[i] = key[0];
}

/// Whether two tile rows have the same columns, relative to their first rows: half a warp for each pair, all lanes of a
/// warp together.
__device__ bool have_same_pattern(const DeviceRows& a, std::int64_t left, std::int64_t right) {
    const LaneRow of_left(a, left);
    const LaneRow of_right(a, right);
    bool same = of_left.length() == of_right.length();
    const auto apart = static_cast<index_t>((right - left) * kTileSize);
    const int lengths_differ = over_half_warp(same ? 0 : 1, [](int x, int y) { return x | y; });
    const offset_t first_left = __shfl_sync(kAllLanes, of_left.first, 0, kTileSize);
    const offset_t first_right = __shfl_sync(kAllLanes, of_right.first, 0, kTileSize);
    const offset_t end = over_half_warp(of_left.end, [](offset_t x, offset_t y) { return max(x, y); });
    const offset_t nonzeros = lengths_differ != 0 ? 0 : end - first_left;
#pragma unroll 4
    for (offset_t k = of_left.lane; k < nonzeros; k += kTileSize)
        same = same && a.col_idxs[first_right + k] - a.col_idxs[first_left + k] == apart;
    __syncwarp();
    return over_half_warp(same ? 0 : 1, [](int x, int y) { return x | y; }) == 0;
}

/// Half a warp for each sorted strip; the first ones of parts repeat none.
__global__ void __launch_bounds__(kFindThreads) compare_strips(const __grid_constant__ StripsToFind p) {
    const std::int64_t i = StripsToFind::strip();
    const std::int64_t part = i / kTileRowsOfPart * kTileRowsOfPart;
    const std::uint64_t key = i < p.count ? p.sorted[i] : ~std::uint64_t{0};
    const std::uint64_t before = i > part && i < p.count ? p.sorted[i - 1] : ~key;
    const bool is_candidate = (key ^ before) <= kTags && slots_of_key(key) != kLeftOut;
    const auto tile_row = [&](std::uint64_t of) {
        return p.tile_row(is_candidate ? part + static_cast<std::int64_t>(of & kTags) : p.count);
    };
    const bool same = have_same_pattern(p.a, tile_row(before), tile_row(key));
    if (threadIdx.x % kTileSize == 0 && i < p.count) p.repeats[i] = is_candidate && same ? 1 : 0;
}

}  // namespace tilespmv::cuda
