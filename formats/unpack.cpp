#include <algorithm>

#include <fmt/format.h>

#include "formats/convert.hpp"
#include "formats/encoding.hpp"
#include "formats/list.hpp"
#include "tile/error.hpp"
#include "tile/parallel.hpp"
#include "tile/sizes.hpp"

namespace tilespmv {
namespace {

/// f(row, column, value) for every nonzero of the k-th listed tile row; tiles ascend, and columns within a tile's row.
template <Value V, class F>
void for_each_tiled_nonzero(const TileMatrix<V>& m, offset_t k, F&& f) {
    const auto row0 = std::int64_t{m.tile_rows[k]} * kTileSize;
    for_each_tile(m, k, [&](const TileView<V>& tile) {
        const auto col0 = static_cast<index_t>(tile.entry.column() * kTileSize);
        formats::visit_format(tile.entry.format(), [&]<class Format>() {
            Format::walk(tile, [&](int r, int c, int place) { f(row0 + r, col0 + c, tile.values[place]); });
        });
    });
}

template <Value V>
Buffer<offset_t> count_rows(const TileMatrix<V>& m) {
    Buffer<offset_t> ptrs(static_cast<std::size_t>(m.rows) + 1, offset_t{0});
    parallel_for(0, static_cast<offset_t>(m.tile_rows.size()), kTileRowGrain, [&](offset_t k) {
        for_each_tiled_nonzero(m, k, [&](std::int64_t row, index_t, V) { ++ptrs[row + 1]; });
    });
    for (offset_t k = 0; k < m.deferred.listed_rows(); ++k) {
        ptrs[m.deferred.row(k) + 1] += m.deferred.begin(k + 1) - m.deferred.begin(k);
    }
    for (index_t r = 0; r < m.rows; ++r) ptrs[r + 1] += ptrs[r];
    return ptrs;
}

/// Merges the listed row's deferred nonzeros into the tiled ones, which stand at the front of the row already.
template <Value V>
void merge_deferred(const DeferredCsr<V>& d, offset_t k, CsrMatrix<V>& a) {
    offset_t out = a.row_ptrs[d.row(k) + 1] - 1;
    offset_t p = d.begin(k + 1) - 1;
    offset_t tiled = out - (d.begin(k + 1) - d.begin(k));
    for (const offset_t begin = a.row_ptrs[d.row(k)]; p >= d.begin(k); --out) {
        const bool from_tiles = tiled >= begin && a.col_idxs[tiled] > d.col_idxs[p];
        a.col_idxs[out] = from_tiles ? a.col_idxs[tiled] : d.col_idxs[p];
        a.values[out] = from_tiles ? a.values[tiled--] : d.values[p--];
    }
}

}  // namespace

template <Value V>
CsrMatrix<V> unpack(const TileMatrix<V>& m) {
    validate_sizes(m);
    CsrMatrix<V> a{m.rows, m.cols, count_rows(m), Buffer<index_t>(m.nnz), Buffer<V>(m.nnz)};
    parallel_for(0, static_cast<offset_t>(m.tile_rows.size()), kTileRowGrain, [&](offset_t k) {
        const auto row0 = std::int64_t{m.tile_rows[k]} * kTileSize;
        std::array<offset_t, kTileSize> cursor{};
        std::copy_n(a.row_ptrs.data() + row0, m.tile_height(m.tile_rows[k]), cursor.begin());
        for_each_tiled_nonzero(m, k, [&](std::int64_t row, index_t col, V value) {
            const offset_t p = cursor[row - row0]++;
            a.col_idxs[p] = col;
            a.values[p] = value;
        });
    });
    parallel_for(0, m.deferred.listed_rows(), 1024, [&](offset_t k) { merge_deferred(m.deferred, k, a); });
    return a;
}

template <Value V>
void check_encoding(const TileMatrix<V>& m) {
    parallel_for(0, static_cast<offset_t>(m.tile_rows.size()), kTileRowGrain, [&](offset_t k) {
        for_each_tile(m, k, [&](const TileView<V>& tile) {
            formats::visit_format(tile.entry.format(), [&]<class Format>() {
                if (formats::repacks_to_itself<Format>(tile)) return;
                throw Error(fmt::format("tile ({}, {}): {} does not write what it reads from it in the same bytes",
                                        m.tile_rows[k], tile.entry.column(), Format::name),
                            ExitCode::verification);
            });
        });
    });
}

#define TILESPMV_INSTANTIATE(V)                         \
    template CsrMatrix<V> unpack(const TileMatrix<V>&); \
    template void check_encoding(const TileMatrix<V>&);
TILESPMV_FOR_EACH_VALUE(TILESPMV_INSTANTIATE)

}  // namespace tilespmv
