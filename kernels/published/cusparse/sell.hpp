#pragma once

#include "tile/csr.hpp"

namespace tilespmv::cuda {

/// Sliced ELL as cuSPARSE takes it: the rows in slices of `kSlice`, each as wide as its longest row and stored column
/// by column; the column of padding is -1, its value 0. I: the type of indices, which must hold `sell_size`.
template <class V, class I>
struct SellMatrix {
    static constexpr index_t kSlice = 32;
    Buffer<I> slice_offsets;  ///< slices + 1: where a slice begins in the other two
    Buffer<I> col_idxs;
    Buffer<V> values;
};

/// How many values sliced ELL stores of a matrix, padding included.
template <Value V>
offset_t sell_size(const CsrMatrix<V>& a);

/// Throws `Error` naming the bytes if the padding does not fit the memory.
template <class I, Value V>
SellMatrix<V, I> make_sell(const CsrMatrix<V>& a);

}  // namespace tilespmv::cuda
