#pragma once

#include "tile/csr.hpp"

namespace tilespmv::cuda {

/// How the values of a block follow each other.
enum class BlockOrder { row_major, column_major };

/// Block CSR: dense blocks of block_size x block_size, the missing values 0. The last rows and columns may stand over
/// the matrix.
template <Value V>
struct BsrMatrix {
    int block_size = 1;
    index_t block_rows = 0;
    index_t block_cols = 0;
    Buffer<std::int32_t> row_ptrs;  ///< block_rows + 1
    Buffer<index_t> col_idxs;       ///< of blocks, ascending in a block row
    Buffer<V> values;               ///< block_size^2 a block

    [[nodiscard]] std::int32_t blocks() const { return static_cast<std::int32_t>(col_idxs.size()); }
};

/// Throws `Error` if the blocks hold 2^31 values or more.
template <Value V>
BsrMatrix<V> make_bsr(const CsrMatrix<V>& a, int block_size, BlockOrder order);

}  // namespace tilespmv::cuda
