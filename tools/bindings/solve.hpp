#pragma once

#include "tools/bindings/matrix.hpp"

namespace tilespmv::bindings {

/// `Matrix::solve` of this matrix, a `CsrMatrix`, or a `cuda::DeviceCsrView` with null or an operator that multiplies
/// by it (`solver::Solver`). What ran on a GPU before has to be complete.
template <Value V, class Matrix, class... By>
SolveResult solve_system(Matrix a, Backend backend, const Array& b, const Array& x, const SolveRequest& request,
                         const By*... by);

}  // namespace tilespmv::bindings
