#pragma once

#include <string>

#include "kernels/block.hpp"
#include "kernels/operator.hpp"
#include "tile/csr.hpp"

namespace tilespmv::cpu {

/// One row of alpha * A * x + beta * y in about twice the precision of double, and what its error bound needs.
struct ReferenceRow {
    double value = 0;      ///< correctly rounded but for cases beyond 100 bits; NaN and Inf as in a CSR product
    double magnitude = 0;  ///< sum of |a_ij x_j|; Inf if a product of finite numbers overflows
    double addend = 0;     ///< |beta * y_i|
    offset_t nnz = 0;      ///< of the row; 0 if alpha is
};

/// The oracle, by sums and products with their rounding errors (Ogita, Rump and Oishi, "Accurate sum and dot product",
/// SIAM J. Sci. Comput. 26, 2005). beta = 0 does not read `y`, which may then be null; alpha = 0 reads neither `a` nor
/// `x`.
template <Value V>
ReferenceRow reference_row(const CsrMatrix<V>& a, index_t row, double alpha, const V* x, double beta, const V* y);

}  // namespace tilespmv::cpu

namespace tilespmv {

/// The right result of y = alpha * A * x + beta * y, row by row, and what is needed to say how far a computed one may
/// be from it.
struct ExpectedProduct {
    Buffer<cpu::ReferenceRow> rows;  ///< one for each row of A, for each column one after the other
    double alpha = 0;
};

/// Computes the expected product with the oracle, of blocks in the memory of the host. beta = 0 does not read `y`
/// (which may be empty), alpha = 0 reads neither `a` nor `x`. In parallel; the result does not depend on the number of
/// threads.
template <Value V>
ExpectedProduct expected_product(const CsrMatrix<V>& a, double alpha, const Block<const V>& x, double beta,
                                 const Block<const V>& y);

/// How far a row may be from the oracle. With S_i = |alpha| sum_j |a_ij x_j|, T_i = |beta y_i| and u the roundoff of
/// the accumulator (2^-53 or 2^-24), any order of summation keeps, to first order,
///
///     |y_i - ref_i| <= K u ((nnz_i + 3) S_i + 3 T_i) + (|alpha| nnz_i + 3) eta  +  u_V |ref_i| + eta_V / 2
///
/// with K = 1: nnz_i roundings of products and sums, one each of alpha, of beta, of the products with them and of the
/// last sum; eta, the smallest number above 0 of the accumulator, takes underflow in. K = 2 leaves room for the higher
/// orders and the oracle. The last two terms round the result to values of V (u_V 2^-24 for float32, 2^-11 for float16,
/// 2^-8 for bfloat16; eta_V the smallest number above 0); an accumulator that is V needs no such rounding.
/// Inf where sums of finite numbers may leave the range of the accumulator, as their order then decides the result.
template <Value V>
double error_bound(const cpu::ReferenceRow& row, double alpha, Accumulator accumulator);

/// What the check of a product found.
struct CheckResult {
    bool ok = true;       ///< every row is within its bound
    index_t row = 0;      ///< the worst row; 0 if there are no rows
    int column = -1;      ///< the column that it is in, if there are several
    double ratio = 0;     ///< its error / bound, at most 1 if right; Inf for a NaN or Inf out of place
    double expected = 0;  ///< its value in the oracle
    double found = 0;     ///< its value in the result

    /// One line.
    [[nodiscard]] std::string message() const;
};

/// Checks every row of every column of `y`, summed up in `accumulator`. Where the expected value is NaN the result must
/// be NaN, where it is Inf the same Inf; Inf is also right where something within the bound rounds to it. Throws
/// `Error` if the number of rows differs.
template <Value V>
CheckResult check_product(const ExpectedProduct& expected, const Block<const V>& y,
                          Accumulator accumulator = default_accumulator<V>());

}  // namespace tilespmv
