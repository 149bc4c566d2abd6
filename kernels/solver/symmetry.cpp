#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "kernels/solver/solve.hpp"
#include "tile/error.hpp"
#include "tile/parallel.hpp"

namespace tilespmv::solver {
namespace {

/// The value at (row, col), null if there is none.
template <class T>
const T* find(const CsrMatrix<T>& a, std::size_t row, index_t col) {
    const index_t* const last = a.col_idxs.data() + a.row_ptrs[row + 1];
    const index_t* const found = std::lower_bound(a.col_idxs.data() + a.row_ptrs[row], last, col);
    return found != last && *found == col ? a.values.data() + (found - a.col_idxs.data()) : nullptr;
}

[[noreturn]] void refuse(std::size_t row, index_t col, const std::string& what) {
    throw Error(fmt::format("the matrix is not symmetric, as conjugate gradients need it: row {}, column {} {}",
                            row + 1, std::int64_t{col} + 1, what));
}

template <class T>
void check_row(const CsrMatrix<T>& a, std::size_t row, double tolerance) {
    for (auto p = static_cast<std::size_t>(a.row_ptrs[row]); p < static_cast<std::size_t>(a.row_ptrs[row + 1]); ++p) {
        const index_t col = a.col_idxs[p];
        const T* mirrored = find(a, static_cast<std::size_t>(col), static_cast<index_t>(row));
        if (mirrored == nullptr) refuse(row, col, "has no entry across the diagonal");
        const double here = a.values[p], there = *mirrored;
        // NaN is left to the iteration to find.
        if (std::abs(here - there) > tolerance * std::max(std::abs(here), std::abs(there)))
            refuse(row, col, fmt::format("is {}, across the diagonal {}", a.values[p], *mirrored));
    }
}

}  // namespace

template <class T>
void check_symmetry(const CsrMatrix<T>& a, double tolerance) {
    if (a.rows != a.cols) {
        throw Error(fmt::format("to solve needs a square matrix, found {} rows and {} columns", a.rows, a.cols));
    }
    parallel_for(0, a.rows, 256, [&](std::int64_t row) { check_row(a, static_cast<std::size_t>(row), tolerance); });
}

template void check_symmetry(const CsrMatrix<double>&, double);
template void check_symmetry(const CsrMatrix<float>&, double);

}  // namespace tilespmv::solver
