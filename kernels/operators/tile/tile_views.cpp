#include "kernels/operators/tile/tile_views.hpp"

#include <algorithm>

#include "tile/parallel.hpp"

namespace tilespmv::cuda {
namespace {

/// Nobody writes through it.
template <class T>
Buffer<T> borrowed(const Buffer<T>& array) {
    return Buffer<T>::view(const_cast<T*>(array.data()), array.size(), nullptr);
}

}  // namespace

template <Value V>
TileMatrix<V> tiles_alone(const TileMatrix<V>& a) {
    TileMatrix<V> alone;
    alone.rows = a.rows;
    alone.cols = a.cols;
    alone.nnz = a.nnz - a.deferred.nnz();
    alone.tile_rows = borrowed(a.tile_rows);
    alone.tile_ptrs = borrowed(a.tile_ptrs);
    alone.value_ptrs = borrowed(a.value_ptrs);
    alone.index_ptrs = borrowed(a.index_ptrs);
    alone.tiles = borrowed(a.tiles);
    alone.values = borrowed(a.values);
    alone.indices = borrowed(a.indices);
    return alone;
}

template <Value V>
CsrMatrix<V> deferred_alone(const TileMatrix<V>& a) {
    constexpr std::int64_t grain = 4096;
    const DeferredCsr<V>& d = a.deferred;
    CsrMatrix<V> csr{a.rows, a.cols, Buffer<offset_t>(static_cast<std::size_t>(a.rows) + 1, 0), borrowed(d.col_idxs),
                     borrowed(d.values)};
    if (d.nnz() == 0) return csr;
    parallel_for(0, std::int64_t{a.rows} + 1, grain,
                 [&](std::int64_t row) { csr.row_ptrs[row] = d.begin(d.first_listed(row)); });
    return csr;
}

#define TILESPMV_INSTANTIATE(V)                               \
    template TileMatrix<V> tiles_alone(const TileMatrix<V>&); \
    template CsrMatrix<V> deferred_alone(const TileMatrix<V>&);
TILESPMV_FOR_EACH_VALUE(TILESPMV_INSTANTIATE)

}  // namespace tilespmv::cuda
