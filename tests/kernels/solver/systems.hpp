#pragma once

#include <cmath>
#include <map>
#include <utility>
#include <vector>

#include "kernels/solver/space.hpp"
#include "tests/kernels/solver/textbook_oracle.hpp"
#include "tests/support/battery.hpp"
#include "tests/support/linear_systems.hpp"

// What solves are tested on.
namespace tilespmv::testing {

inline constexpr solver::Method kMethods[]{solver::Method::chronopoulos_gear, solver::Method::textbook};

inline Eigen::VectorXd eigen(const std::vector<double>& v) {
    return Eigen::Map<const Eigen::VectorXd>(v.data(), static_cast<Eigen::Index>(v.size()));
}

inline double true_residual(const CsrMatrix<double>& a, const std::vector<double>& b, const std::vector<double>& x) {
    return (eigen(b) - to_eigen(a) * eigen(x)).norm();
}

/// A matrix of these entries, by row and column.
inline CsrMatrix<double> matrix_of_entries(index_t size, const std::map<std::pair<index_t, index_t>, double>& entries) {
    CsrMatrix<double> a{size, size, Buffer<offset_t>(static_cast<std::size_t>(size) + 1, 0),
                        Buffer<index_t>(entries.size()), Buffer<double>(entries.size())};
    std::size_t at = 0;
    for (const auto& [position, value] : entries) {
        ++a.row_ptrs[static_cast<std::size_t>(position.first) + 1];
        a.col_idxs[at] = position.second;
        a.values[at++] = value;
    }
    for (std::size_t row = 0; row < static_cast<std::size_t>(size); ++row) a.row_ptrs[row + 1] += a.row_ptrs[row];
    return a;
}

/// A symmetric matrix with the pattern of b and its transpose, as far as it is square, and a diagonal that is as large
/// as `dominance` times the sum of its row: positive definite above 1.
inline CsrMatrix<double> symmetric_of(const CsrMatrix<double>& b, double dominance) {
    const index_t size = std::min(b.rows, b.cols);
    std::map<std::pair<index_t, index_t>, double> entries;
    std::vector<double> sums(static_cast<std::size_t>(size), 0.5);
    for (index_t row = 0; row < size; ++row) {
        for (offset_t p = b.row_ptrs[static_cast<std::size_t>(row)]; p < b.row_ptrs[static_cast<std::size_t>(row) + 1];
             ++p) {
            const index_t col = b.col_idxs[static_cast<std::size_t>(p)];
            if (col >= size || col == row) continue;
            const double value = std::cos(static_cast<double>(row) * static_cast<double>(col) + 1.0);
            entries[{row, col}] = entries[{col, row}] = value;
        }
    }
    for (const auto& [position, value] : entries) sums[static_cast<std::size_t>(position.first)] += std::abs(value);
    for (index_t row = 0; row < size; ++row) entries[{row, row}] = dominance * sums[static_cast<std::size_t>(row)];
    return matrix_of_entries(size, entries);
}

/// The Laplacian of a path of `size` nodes: singular, its null space is the constant vectors.
inline CsrMatrix<double> path_laplacian(index_t size) {
    std::map<std::pair<index_t, index_t>, double> entries;
    for (index_t i = 0; i + 1 < size; ++i) {
        entries[{i, i + 1}] = entries[{i + 1, i}] = -1;
        entries[{i, i}] += 1;
        entries[{i + 1, i + 1}] += 1;
    }
    return matrix_of_entries(size, entries);
}

}  // namespace tilespmv::testing
