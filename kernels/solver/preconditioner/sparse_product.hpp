#pragma once

#include <limits>
#include <optional>

#include "tile/csr.hpp"

/// Products and transposes of sparse matrices in two steps, pattern and values, so that new values need no memory.
namespace tilespmv::solver {

/// The pattern of a * b, values not set; none, before memory is taken for it, if it has more than `most` nonzeros.
/// Columns ascend.
template <class V>
std::optional<CsrMatrix<V>> product_pattern(const CsrMatrix<V>& a, const CsrMatrix<V>& b,
                                            offset_t most = std::numeric_limits<offset_t>::max());

/// `product`, of a pattern that holds that of a * b, gets the values of a * b. Sums over k ascend. With
/// `skip_last` the last nonzero of every row of a is left out: the diagonal of a lower triangle.
template <class V>
void multiply_values(const CsrMatrix<V>& a, const CsrMatrix<V>& b, bool skip_last, CsrMatrix<V>& product);

template <class V>
struct Transpose {
    CsrMatrix<V> matrix;         ///< values not set
    Buffer<offset_t> positions;  ///< of each of its nonzeros in the other matrix
};
/// Columns and positions ascend in every row, whatever the number of threads.
template <class V>
Transpose<V> transpose_pattern(const CsrMatrix<V>& a);

}  // namespace tilespmv::solver
