#pragma once

#include "kernels/cuda/device_buffer.hpp"
#include "tile/types.hpp"

namespace tilespmv::cuda {

/// The pattern of a CSR matrix in device memory. P: the type of row pointers, `std::uint32_t` or `offset_t`.
template <class P>
struct CsrPattern {
    index_t rows = 0;
    index_t cols = 0;
    offset_t nnz = 0;
    const P* row_ptrs = nullptr;
    const index_t* col_idxs = nullptr;
};

/// The pattern of its transpose, columns ascending in every row.
template <class P>
struct TransposedPattern {
    DeviceBuffer<P> row_ptrs;
    DeviceBuffer<index_t> col_idxs;
    DeviceBuffer<P> positions;  ///< of each nonzero in the other matrix
    bool is_same = false;       ///< as that of the other matrix
};

/// Transposes a pattern whose columns ascend in every row, and waits for the stream. A symmetric pattern is found by
/// searching for the mirror image of each nonzero. Any other is sorted by columns, by a stable sort, which no column is
/// too long for.
template <class P>
TransposedPattern<P> transpose_pattern(const CsrPattern<P>& a, const DeviceContext& on);

}  // namespace tilespmv::cuda
