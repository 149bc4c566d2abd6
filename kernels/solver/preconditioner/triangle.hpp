#pragma once

#include <cmath>
#include <cstdint>
#include <string_view>

#include <fmt/format.h>

#include "kernels/require_square.hpp"
#include "tile/error.hpp"
#include "tile/types.hpp"

namespace tilespmv::solver {

/// Throws `Error` unless A is square and has as many rows as the one whose values it brings.
template <class T>
void require_rows(const CsrMatrix<T>& a, std::size_t rows) {
    require_square(a, "a preconditioner");
    if (static_cast<std::size_t>(a.rows) == rows) return;
    throw Error(fmt::format("a preconditioner of a matrix of {} rows takes new values of one of {}; make it again",
                            rows, a.rows));
}

/// A value of M on its diagonal in its type, or `Error` where it would be 0 or Inf there: M would not be what it is
/// called. NaN is left to the iteration to find.
template <class T>
T in_range(double value, std::string_view preconditioner, std::int64_t row) {
    const auto rounded = static_cast<T>(value);
    if (std::isnan(value) || (rounded != 0 && std::isfinite(rounded))) return rounded;
    throw Error(fmt::format("no {} preconditioner in {}: the value of row {}, {:.3g}, is out of its range",
                            preconditioner, value_name<T>(), row + 1, value));
}

/// Position of the diagonal in each row, where there is one with a positive value. Throws `Error` that names the first
/// row without: A is not positive definite, and there is no `preconditioner` of it.
template <class T>
void find_diagonal(const CsrMatrix<T>& a, std::string_view preconditioner, Buffer<offset_t>& positions);

}  // namespace tilespmv::solver
