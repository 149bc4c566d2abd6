#pragma once

#include <string_view>

#include <fmt/format.h>

#include "tile/csr.hpp"
#include "tile/error.hpp"

namespace tilespmv {

/// Throws `Error` for a matrix that is not square, and for one whose arrays do not fit its size, as after a move. `who`
/// needs it: "to solve", "a preconditioner".
template <class Matrix>
void require_square(const Matrix& a, std::string_view who) {
    if constexpr (requires { validate_row_ptrs(a); }) validate_row_ptrs(a);  // those on a GPU by who reads them
    if (a.rows == a.cols) return;
    throw Error(fmt::format("{} needs a square matrix, found {} rows and {} columns", who, a.rows, a.cols));
}

}  // namespace tilespmv
