#pragma once

#include <limits>
#include <optional>

#include "tile/csr.hpp"

/// Products of sparse matrices in two steps, pattern and values, so that new values need no memory.
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

}  // namespace tilespmv::solver
