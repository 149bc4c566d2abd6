#pragma once

#include <cstdint>
#include <variant>

#include "tile/types.hpp"

namespace tilespmv::cuda {

/// A CSR matrix in the memory of a GPU, which somebody else owns: nothing is copied where an operator multiplies CSR as
/// it is. The invariants are those of `CsrMatrix`; columns are not checked.
template <class V>
struct DeviceCsrView {
    index_t rows = 0;
    index_t cols = 0;
    offset_t nnz = 0;
    /// rows + 1 entries, from 0 to nnz, of 32 or 64 bits.
    std::variant<const std::int32_t*, const std::int64_t*> row_ptrs;
    const index_t* col_idxs = nullptr;  ///< nnz
    const V* values = nullptr;          ///< nnz
};

}  // namespace tilespmv::cuda
