#pragma once

#include "tile/csr.hpp"

namespace tilespmv::solver {

/// A matrix of n rows as solvers have them: seven diagonals as far apart as those of a grid of three dimensions, cut
/// off at the ends. Rows add up to less than 1. V: float or double.
template <Value V>
CsrMatrix<V> seven_diagonals(index_t n);

}  // namespace tilespmv::solver
