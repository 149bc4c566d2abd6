#pragma once

#include "tile/types.hpp"

/// The merge path of a CSR matrix (Merrill and Garland, "Merge-based parallel sparse matrix-vector multiplication",
/// SC 2016): its nonzeros and the ends of its rows in one list of rows + nnz items, each end behind the nonzeros of its
/// row. Equal pieces of the list are equal work, whatever the rows look like.
namespace tilespmv::cuda {

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

/// How the list is cut into pieces of `items` items each. A piece begins at the beginning of a row instead if at most
/// `slack` (below `items`) nonzeros lie between, so that few rows are split.
struct MergePieces {
    int items = 0;
    int slack = 0;
};

/// Where a piece begins.
struct alignas(8) MergeStart {
    index_t row = 0;
    std::int32_t back = 0;  ///< nonzeros of the row before the piece that belong to it all the same; or, below 0, how
                            ///< many pieces before it the row begins

    [[nodiscard]] TILESPMV_HD bool is_inside_row() const { return back < 0; }
    /// The first nonzero of the piece, whose first item would be `item`.
    [[nodiscard]] TILESPMV_HD std::int64_t nonzero(std::int64_t item) const {
        return item - row - (is_inside_row() ? 0 : back);
    }
};

/// Where piece `i` of `pieces` begins.
template <class P>
TILESPMV_HD MergeStart merge_start(const P* row_ptrs, index_t rows, std::int64_t i, MergePieces pieces) {
    const std::int64_t all = rows + static_cast<std::int64_t>(row_ptrs[rows]);
    const std::int64_t item = i * pieces.items < all ? i * pieces.items : all;
    const index_t row = row_ends_before(row_ptrs, rows, item);
    const std::int64_t row_begin = static_cast<std::int64_t>(row_ptrs[row]) + row;
    if (item - row_begin <= pieces.slack) return {row, static_cast<std::int32_t>(item - row_begin)};
    return {row, static_cast<std::int32_t>((row_begin + pieces.slack) / pieces.items - i)};
}

}  // namespace tilespmv::cuda
