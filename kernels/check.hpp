#pragma once

#include <span>
#include <string>

#include "tile/csr.hpp"

namespace tilespmv {

/// The right result of y = alpha * A * x + beta * y, row by row, and how far a computed one may be from it.
///
/// With S_i = |alpha| sum_j |a_ij x_j|, T_i = |beta y_i| and u = 2^-53, the roundoff of the sums (double for both value
/// types), any order of summation keeps, to first order,
///
///     |y_i - ref_i| <= K u ((nnz_i + 2) S_i + 2 T_i)  +  u_V |ref_i|
///
/// with K = 1: nnz_i roundings of products and sums, one of the product with alpha, one of beta y_i, one of the last
/// sum. K = 2 leaves room for the higher orders and the oracle. The last term, u_V = 2^-24, is the rounding of the
/// result to float and is left out for double. Where products of finite numbers overflow, the result depends on the
/// order, and the bound is Inf.
struct ExpectedProduct {
    static constexpr double kErrorFactor = 2;  ///< K
    Buffer<double> values;                     ///< rows
    Buffer<double> bounds;                     ///< rows
};

/// Computes the expected product with the oracle. beta = 0 does not read `y` (which may be empty), alpha = 0 reads
/// neither `a` nor `x`.
template <Value V>
ExpectedProduct expected_product(const CsrMatrix<V>& a, V alpha, std::span<const V> x, V beta, std::span<const V> y);

/// What the check of a product found.
struct CheckResult {
    bool ok = true;
    index_t row = 0;      ///< the worst row; 0 if there are no rows
    double ratio = 0;     ///< its error / bound, at most 1 if right; Inf for a NaN or Inf out of place
    double expected = 0;  ///< its value in the oracle
    double found = 0;

    /// One line.
    [[nodiscard]] std::string message() const;
};

/// Checks every row of `y`. Where the expected value is NaN the result must be NaN, where it is Inf the same Inf.
/// Throws `Error` if the number of rows differs.
template <Value V>
CheckResult check_product(const ExpectedProduct& expected, std::span<const V> y);

}  // namespace tilespmv
