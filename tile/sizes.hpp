#pragma once

#include "tile/csr.hpp"
#include "tile/tile_matrix.hpp"

namespace tilespmv {

/// Throws `Error` unless the sizes of the arrays fit each other and pointers end where they must: a matrix that was
/// moved from is refused. Takes no time. What may be wrong beyond that `validate` finds, and for archives their checks.
template <Value V>
void validate_sizes(const CsrMatrix<V>& a);
template <Value V>
void validate_sizes(const TileMatrix<V>& a);

}  // namespace tilespmv
