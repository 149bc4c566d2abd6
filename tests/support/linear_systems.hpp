#pragma once

#include <cmath>
#include <cstddef>
#include <vector>

#include "tile/csr.hpp"

/// Right-hand sides of systems that are solved in tests, and how well a solution fits.
namespace tilespmv::testing {

template <class T = double>
std::vector<T> right_hand_side(index_t size) {
    std::vector<T> b(static_cast<std::size_t>(size));
    for (std::size_t i = 0; i < b.size(); ++i) b[i] = static_cast<T>(std::sin(static_cast<double>(i) + 1) + 0.25);
    return b;
}

/// ||b - A x|| / ||b|| in long double, whose range is far beyond that of double.
template <class T>
double relative_residual(const CsrMatrix<T>& a, const std::vector<T>& b, const std::vector<T>& x) {
    long double r2 = 0, b2 = 0;
    for (std::size_t row = 0; row < b.size(); ++row) {
        long double r = b[row];
        for (auto p = static_cast<std::size_t>(a.row_ptrs[row]); p < static_cast<std::size_t>(a.row_ptrs[row + 1]); ++p)
            r -= static_cast<long double>(a.values[p]) * x[static_cast<std::size_t>(a.col_idxs[p])];
        r2 += r * r;
        b2 += static_cast<long double>(b[row]) * b[row];
    }
    return static_cast<double>(std::sqrt(r2 / b2));
}

}  // namespace tilespmv::testing
