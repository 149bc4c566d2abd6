#include "tile/archive/verify_tiles.hpp"

#include <atomic>

#include <fmt/format.h>

#include "tile/archive/verify_deferred.hpp"
#include "tile/error.hpp"
#include "tile/parallel.hpp"
#include "tile/sizes.hpp"

namespace tilespmv {
namespace {

constexpr std::int64_t kTileRowGrain = 64;

template <class... Args>
[[noreturn]] void fail(fmt::format_string<Args...> format, Args&&... args) {
    throw Error(fmt::format(format, std::forward<Args>(args)...));
}

/// Range k lies inside [0, end]; says nothing about other ranges, which other threads may still have to check.
bool in_range(const Buffer<offset_t>& ptrs, std::int64_t k, std::size_t end) {
    return 0 <= ptrs[k] && ptrs[k] <= ptrs[k + 1] && ptrs[k + 1] <= static_cast<offset_t>(end);
}

template <Value V>
void check_tile_row_place(const TileMatrix<V>& a, std::int64_t k) {
    const index_t row = a.tile_rows[k];
    const index_t before = k > 0 ? a.tile_rows[k - 1] : -1;
    const auto end = div_up(a.rows, kTileSize);
    if (row <= before || row >= end) fail("tile row {}: expected ascending ids below {}", row, end);
    if (!in_range(a.tile_ptrs, k, a.tiles.size()) || !in_range(a.value_ptrs, k, a.values.size()) ||
        !in_range(a.index_ptrs, k, a.indices.size())) {
        fail("tile row {}: pointers descend or leave their arena", row);
    }
    if (a.tile_ptrs[k] == a.tile_ptrs[k + 1]) fail("tile row {} is listed but has no tiles", row);
}

/// Says what is wrong with the next tile.
[[noreturn]] void refuse(const UncheckedTiles& tiles, index_t row, std::span<const FormatInfo> formats) {
    const TileEntry tile = *tiles.tile;
    const index_t column = tile.column();
    const auto end = div_up(tiles.cols, kTileSize);
    if (column <= tiles.column || column >= end) {
        fail("tile ({}, {}): expected ascending columns below {}", row, column, end);
    }
    const auto id = static_cast<std::size_t>(tile.format());
    if (id >= formats.size()) fail("tile ({}, {}) has the unknown format number {}", row, column, id);
    if (tile.values() > tiles.values || tile.index_bytes() > tiles.index_end - tiles.index) {
        fail("tile ({}, {}) takes more values or index bytes than its tile row has", row, column);
    }
    fail("tile ({}, {}): sizes, index bytes or padding are not those of a {} tile", row, column, formats[id].name);
}

/// Checks the tiles of the k-th listed tile row and returns their nonzeros. Every value and index byte must belong to a
/// tile.
template <Value V>
offset_t check_tile_row(const TileMatrix<V>& a, std::int64_t k, std::span<const FormatInfo> formats) {
    const index_t row = a.tile_rows[k];
    UncheckedTiles tiles{.rows = a.tile_height(row),
                         .cols = a.cols,
                         .tile = a.tiles.data() + a.tile_ptrs[k],
                         .end = a.tiles.data() + a.tile_ptrs[k + 1],
                         .values = a.value_ptrs[k + 1] - a.value_ptrs[k],
                         .index = a.indices.data() + a.index_ptrs[k],
                         .index_end = a.indices.data() + a.index_ptrs[k + 1],
                         .values_end = reinterpret_cast<const std::byte*>(a.values.data() + a.value_ptrs[k + 1]),
                         .value_bytes = sizeof(V)};
    while (tiles.tile < tiles.end) {
        const TileEntry* const next = tiles.tile;
        const int id = next->format();
        if (static_cast<std::size_t>(id) < formats.size()) formats[static_cast<std::size_t>(id)].pass_valid(tiles, id);
        if (tiles.tile == next) refuse(tiles, row, formats);
    }
    if (tiles.values != 0 || tiles.index != tiles.index_end) {
        fail("tile row {} has {} values and {} index bytes more than its tiles", row, tiles.values,
             tiles.index_end - tiles.index);
    }
    return tiles.nnz;
}

/// Returns the nonzeros in tiles.
template <Value V>
offset_t check_tiles(const TileMatrix<V>& a, std::span<const FormatInfo> formats) {
    std::atomic<offset_t> nnz = 0;
    parallel_for(0, static_cast<std::int64_t>(a.tile_rows.size()), kTileRowGrain, [&](std::int64_t k) {
        check_tile_row_place(a, k);
        nnz += check_tile_row(a, k, formats);
    });
    return nnz;
}

}  // namespace

template <Value V>
void validate(const TileMatrix<V>& a, std::span<const FormatInfo> formats) {
    validate_sizes(a);
    const offset_t tiled = check_tiles(a, formats);
    detail::validate_deferred(a, formats);
    if (tiled + a.deferred.nnz() != a.nnz) {
        fail("{} nonzeros in tiles and {} deferred, expected {} in all", tiled, a.deferred.nnz(), a.nnz);
    }
}

#define TILESPMV_INSTANTIATE(V) template void validate(const TileMatrix<V>&, std::span<const FormatInfo>);
TILESPMV_FOR_EACH_VALUE(TILESPMV_INSTANTIATE)

}  // namespace tilespmv
