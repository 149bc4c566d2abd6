#pragma once

#include <span>

#include "tile/csr.hpp"

/// The transpose of a matrix in two steps, pattern and values, so that new values need no memory.
namespace tilespmv {

template <Value V>
struct Transpose {
    CsrMatrix<V> matrix;
    Buffer<offset_t> positions;  ///< of each of its nonzeros in the other matrix
};

/// Its values are not set. Columns and positions ascend in every row, whatever the number of threads.
template <Value V>
Transpose<V> transpose_pattern(const CsrMatrix<V>& a);

/// to[i] = values[positions[i]], in parallel: with the positions of a transpose its values.
template <Value V>
void gather_values(std::span<const V> values, const Buffer<offset_t>& positions, Buffer<V>& to);

/// Pattern and values, in parallel.
template <Value V>
Transpose<V> transposed(const CsrMatrix<V>& a) {
    Transpose<V> t = transpose_pattern(a);
    gather_values<V>({a.values.data(), a.values.size()}, t.positions, t.matrix.values);
    return t;
}

}  // namespace tilespmv
