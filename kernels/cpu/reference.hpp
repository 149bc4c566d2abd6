#pragma once

#include <span>

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
