#include "kernels/tile/full_tiles.hpp"

#include <algorithm>
#include <atomic>

#include "formats/list.hpp"
#include "tile/parallel.hpp"

namespace tilespmv::cuda {
namespace {

constexpr offset_t kSize = kTileSize;
constexpr int kValues = TileEntry::kMaxValues;

/// Whether the rows of a tile row are equally long, and of whole tiles.
bool are_even(const Buffer<offset_t>& row_ptrs, std::int64_t first_row) {
    const offset_t* const ptrs = row_ptrs.data() + first_row;
    const offset_t length = ptrs[1] - ptrs[0];
    if (length == 0 || length % kSize != 0) return false;
    for (int r = 1; r < kTileSize; ++r) {
        if (ptrs[r + 1] - ptrs[r] != length) return false;
    }
    return true;
}

/// Whether the columns of a tile, `row_length` apart from row to row, are all of it. Columns of a row ascend.
bool is_full(const index_t* columns, offset_t row_length) {
    const index_t first = columns[0];
    if (first % kTileSize != 0) return false;
    for (int r = 0; r < kTileSize; ++r, columns += row_length) {
        if (columns[0] != first || columns[kTileSize - 1] != first + kTileSize - 1) return false;
    }
    return true;
}

/// The tiles of a tile row, to their places; false if they are not full.
template <Value V>
bool put_tiles(const CsrMatrix<V>& a, std::int64_t tile_row, FullTiles& full) {
    const std::int64_t row = tile_row * kTileSize;
    if (!are_even(a.row_ptrs, row)) return false;
    const offset_t first = a.row_ptrs[row];
    const offset_t length = a.row_ptrs[row + 1] - first;
    full.tile_ptrs[tile_row] = first / kValues;
    for (offset_t at = first; at < first + length; at += kSize) {
        const index_t* const columns = a.col_idxs.data() + at;
        if (!is_full(columns, length)) return false;
        full.tiles[first / kValues + (at - first) / kSize] =
            TileEntry(*columns / kTileSize, formats::id_of<formats::Dense>, kValues, kValues, 0, 0);
    }
    return true;
}

}  // namespace

template <Value V>
std::optional<FullTiles> full_tiles(const CsrMatrix<V>& a) {
    if (a.nnz() == 0 || a.rows % kTileSize != 0 || a.nnz() % kValues != 0) return std::nullopt;
    const std::int64_t tile_rows = a.rows / kTileSize;
    const offset_t tiles = a.nnz() / kValues;
    FullTiles full{Buffer<offset_t>(static_cast<std::size_t>(tile_rows) + 1),
                   Buffer<TileEntry>(static_cast<std::size_t>(tiles))};
    full.tile_ptrs[tile_rows] = tiles;
    std::atomic<bool> are_full = true;
    task_for(0, tile_rows, kTileRowGrain, [&](std::int64_t tile_row) {
        if (are_full && !put_tiles(a, tile_row, full)) are_full = false;
    });
    if (!are_full) return std::nullopt;
    return full;
}

#define TILESPMV_INSTANTIATE(V) template std::optional<FullTiles> full_tiles(const CsrMatrix<V>&);
TILESPMV_FOR_EACH_VALUE(TILESPMV_INSTANTIATE)

}  // namespace tilespmv::cuda
