#pragma once

#include <span>
#include <vector>

#include "selector/csr_shapes.hpp"
#include "tile/types.hpp"

namespace tilespmv {

/// Elements [first, first + size) of an array.
struct ElementRange {
    offset_t first = 0;
    offset_t size = 0;
};
using ElementRanges = std::vector<ElementRange>;
using RowPtrSpan = std::span<const offset_t>;
using ColumnSpan = std::span<const index_t>;

/// The pattern of a CSR matrix, wherever it is, for those who look at a sample of it. Its owner calls it by one thread
/// at a time.
class PatternReader {
public:
    /// What ranges hold, in the order of these.
    struct Found {
        std::vector<RowPtrSpan> row_ptrs;
        std::vector<ColumnSpan> columns;
    };

    virtual ~PatternReader() = default;
    /// Reads ranges of the row pointers and of the columns; what it returns stays as long as the reader. Where the
    /// matrix is in device memory each call is waited for.
    virtual Found read(const ElementRanges& row_ptrs, const ElementRanges& columns) = 0;
    /// Of all rows. Throws `Error` if row pointers are wrong, and so does `read` before it returns any.
    virtual const RowStatistics& row_statistics() = 0;
    /// How many diagonals have nonzeros. `known`: some of them, ascending.
    virtual offset_t count_diagonals(const std::vector<offset_t>& known) = 0;
};

}  // namespace tilespmv
