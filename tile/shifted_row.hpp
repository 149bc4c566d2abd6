#pragma once

#include <cstdint>

#include "tile/types.hpp"

namespace tilespmv {

/// Whether a row of CSR, not the first one, has its nonzeros on the diagonals of the row before.
inline bool is_row_before_shifted(const offset_t* row_ptrs, const index_t* col_idxs, std::int64_t row) {
    const offset_t begin = row_ptrs[row];
    const offset_t length = row_ptrs[row + 1] - begin;
    if (begin - row_ptrs[row - 1] != length) return false;
    const index_t* const columns = col_idxs + begin;
    const index_t* const before = col_idxs + row_ptrs[row - 1];
    offset_t k = 0;
    while (k < length && columns[k] - before[k] == 1) ++k;
    return k == length;
}

}  // namespace tilespmv
