#pragma once

#include "tile/csr.hpp"
#include "tile/tile_matrix.hpp"

namespace tilespmv::cuda {

/// The tiles of `a` without its deferred nonzeros; its arrays are those of `a`, which must outlive it.
template <Value V>
TileMatrix<V> tiles_alone(const TileMatrix<V>& a);

/// The deferred nonzeros of `a` as a matrix of the same size; columns and values are those of `a`, which must outlive
/// it.
template <Value V>
CsrMatrix<V> deferred_alone(const TileMatrix<V>& a);

}  // namespace tilespmv::cuda
