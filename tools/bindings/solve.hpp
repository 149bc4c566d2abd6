#pragma once

#include "tools/bindings/matrix.hpp"

namespace tilespmv::bindings {

/// `Matrix::solve` of this matrix. What ran on a GPU before has to be complete.
template <Value V>
SolveResult solve_system(CsrMatrix<V> a, Backend backend, const Array& b, const Array& x, const SolveRequest& request);

}  // namespace tilespmv::bindings
