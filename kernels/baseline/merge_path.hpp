#pragma once

#include "tile/types.hpp"

/// The merge path of a CSR matrix (Merrill and Garland, "Merge-based parallel sparse matrix-vector multiplication",
/// SC 2016): its nonzeros and the ends of its rows in one list of rows + nnz items, each end behind the nonzeros of its
/// row. Equal pieces of the list are equal work, whatever the rows look like.
namespace tilespmv::baseline {

/// How many ends of rows are among the first `item` items, 0 <= item <= rows + nnz; the other of these are nonzeros.
template <class P>
TILESPMV_HD index_t row_ends_before(const P* row_ptrs, index_t rows, std::int64_t item) {
    index_t low = 0;
    index_t high = rows;
    while (low < high) {
        const index_t middle = low + (high - low) / 2;
        const std::int64_t end_of_middle = static_cast<std::int64_t>(row_ptrs[middle + 1]) + middle;
        if (end_of_middle < item) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

}  // namespace tilespmv::baseline
