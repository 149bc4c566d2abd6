#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "kernels/require_square.hpp"
#include "kernels/solver/device_space.hpp"
#include "kernels/solver/solve.hpp"
#include "tile/error.hpp"
#include "tile/parallel.hpp"

/// What a solve asks of a matrix.
namespace tilespmv::solver {
namespace {

template <class T>
double value_at(const CsrMatrix<T>& a, std::size_t row, index_t col) {
    const index_t* const last = a.col_idxs.data() + a.row_ptrs[row + 1];
    const index_t* const found = std::lower_bound(a.col_idxs.data() + a.row_ptrs[row], last, col);
    return found != last && *found == col ? double{a.values[static_cast<std::size_t>(found - a.col_idxs.data())]} : 0;
}

/// The most that an entry of these two rows can be in a positive definite matrix.
template <class T>
double size_of_entries(const CsrMatrix<T>& a, std::size_t row, index_t col) {
    const double here = value_at(a, row, static_cast<index_t>(row));
    const double there = value_at(a, static_cast<std::size_t>(col), col);
    return std::sqrt(std::abs(here)) * std::sqrt(std::abs(there));
}

template <class T>
void check_row(const CsrMatrix<T>& a, std::size_t row, double tolerance) {
    for (auto p = static_cast<std::size_t>(a.row_ptrs[row]); p < static_cast<std::size_t>(a.row_ptrs[row + 1]); ++p) {
        const index_t col = a.col_idxs[p];
        const double here = a.values[p], there = value_at(a, static_cast<std::size_t>(col), static_cast<index_t>(row));
        const double difference = std::abs(here - there);
        if (!(difference > tolerance * std::max(std::abs(here), std::abs(there))) ||
            !(difference > tolerance * size_of_entries(a, row, col)))
            continue;
        throw Error(
            fmt::format("the matrix is not symmetric, as conjugate gradients need it: row {}, column {} is {}, across "
                        "the diagonal {}",
                        row + 1, std::int64_t{col} + 1, a.values[p], static_cast<T>(there)));
    }
}

}  // namespace

template <class T>
void check_symmetry(const CsrMatrix<T>& a, double tolerance) {
    require_square(a, "to solve");
    parallel_for(0, a.rows, 256, [&](std::int64_t row) { check_row(a, static_cast<std::size_t>(row), tolerance); });
}

template <class T>
void check_constant_null_space(const CsrMatrix<T>& a) {
    validate_row_ptrs(a);
    const double tolerance = row_sum_tolerance<T>();
    parallel_for(0, a.rows, 256, [&](std::int64_t row) {
        double sum = 0, size = 0;
        for (offset_t p = a.row_ptrs[row]; p < a.row_ptrs[row + 1]; ++p) {
            const double value = a.values[static_cast<std::size_t>(p)];
            sum += value;
            size += std::abs(value);
        }
        if (!(std::abs(sum) > tolerance * size)) return;
        throw Error(
            fmt::format("constant vectors are not the null space of the matrix: row {} adds up to {:.3g}, not to 0; "
                        "solve without a null space",
                        row + 1, sum));
    });
}

#define TILESPMV_INSTANTIATE(T)                                \
    template void check_symmetry(const CsrMatrix<T>&, double); \
    template void check_constant_null_space(const CsrMatrix<T>&);
TILESPMV_INSTANTIATE(double)
TILESPMV_INSTANTIATE(float)

}  // namespace tilespmv::solver
