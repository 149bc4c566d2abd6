#include "kernels/operators/tile/full_tiles.hpp"

#include <atomic>

#include "formats/list.hpp"
#include "tile/parallel.hpp"

namespace tilespmv::cuda {
namespace {

constexpr offset_t kSize = kTileSize;
constexpr int kValues = TileEntry::kMaxValues;

/// Whether the columns of a tile, `row_length` apart from row to row, are all of it. Columns of a row ascend.
bool is_full(const index_t* columns, offset_t row_length) {
    const index_t first = columns[0];
    if (first % kTileSize != 0) return false;
    for (int r = 0; r < kTileSize; ++r, columns += row_length) {
        if (columns[0] != first || columns[kTileSize - 1] != first + kTileSize - 1) return false;
    }
    return true;
}

/// The tiles of a tile row, to their places; false if they are not full. Where all have the columns of the first row,
/// rows end where these begin again: they are equally long.
template <Value V>
bool put_tiles(const CsrMatrix<V>& a, std::int64_t tile_row, FullTiles& full) {
    const offset_t* const ptrs = a.row_ptrs.data() + tile_row * kTileSize;
    const offset_t first = ptrs[0];
    const offset_t length = ptrs[1] - first;
    if (first % kValues != 0 || length == 0 || length % kSize != 0) return false;
    if (ptrs[kTileSize] - first != kSize * length) return false;
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
    parallel_for(0, tile_rows, kTileRowGrain, [&](std::int64_t tile_row) {
        if (are_full && !put_tiles(a, tile_row, full)) are_full = false;
    });
    if (!are_full) return std::nullopt;
    return full;
}

#define TILESPMV_INSTANTIATE(V) template std::optional<FullTiles> full_tiles(const CsrMatrix<V>&);
TILESPMV_FOR_EACH_VALUE(TILESPMV_INSTANTIATE)

}  // namespace tilespmv::cuda
