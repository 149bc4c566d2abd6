#pragma once

#include "tools/bindings/matrix.hpp"

namespace tilespmv::bindings {

/// `Matrix::solve` of this matrix, a `CsrMatrix` or a `cuda::DeviceCsrView`. What ran on a GPU before has to be
/// complete.
template <Value V, class Matrix>
SolveResult solve_system(Matrix a, Backend backend, const Array& b, const Array& x, const SolveRequest& request);

}  // namespace tilespmv::bindings
