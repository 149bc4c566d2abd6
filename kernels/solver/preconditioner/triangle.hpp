#pragma once

#include <string_view>

#include "tile/csr.hpp"

namespace tilespmv::solver {

/// Position of the diagonal in each row, where there is one with a positive value. Throws `Error` that names the first
/// row without: A is not positive definite, and there is no `preconditioner` of it.
template <class T>
void find_diagonal(const CsrMatrix<T>& a, std::string_view preconditioner, Buffer<offset_t>& positions);

}  // namespace tilespmv::solver
