#pragma once

#include <string_view>

#include "kernels/solver/require_square.hpp"

namespace tilespmv::solver {

/// Throws `Error` unless A is square and has as many rows as the one whose values it brings.
template <class T>
void require_rows(const CsrMatrix<T>& a, std::size_t rows) {
    require_square(a, "a preconditioner");
    if (static_cast<std::size_t>(a.rows) == rows) return;
    throw Error(fmt::format("a preconditioner of a matrix of {} rows takes new values of one of {}; make it again",
                            rows, a.rows));
}

/// Position of the diagonal in each row, where there is one with a positive value. Throws `Error` that names the first
/// row without: A is not positive definite, and there is no `preconditioner` of it.
template <class T>
void find_diagonal(const CsrMatrix<T>& a, std::string_view preconditioner, Buffer<offset_t>& positions);

}  // namespace tilespmv::solver
