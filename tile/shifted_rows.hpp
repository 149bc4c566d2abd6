#pragma once

#include <algorithm>
#include <cstdint>

#include "tile/types.hpp"

namespace tilespmv {

/// How many of `count` columns from the first one on are `by` more than those before.
inline offset_t shifted_columns(const index_t* columns, const index_t* before, offset_t count, index_t by) {
    constexpr offset_t kTogether = 16;  // without a branch
    offset_t same = 0;
    for (index_t apart = 0; same + kTogether <= count; same += kTogether) {
        for (offset_t k = same; k < same + kTogether; ++k) apart |= (columns[k] - before[k]) ^ by;
        if (apart != 0) break;
    }
    while (same < count && columns[same] - before[same] == by) ++same;
    return same;
}

/// How many rows of CSR that follow `row`, before `end`, have their nonzeros on the same diagonals as `row`.
inline std::int64_t shifted_rows(const offset_t* row_ptrs, const index_t* col_idxs, std::int64_t row,
                                 std::int64_t end) {
    constexpr std::int64_t kRows = 32;  // that are compared at once, if the first one is like `row`
    const offset_t length = row_ptrs[row + 1] - row_ptrs[row];
    std::int64_t known = row + 1;
    for (std::int64_t rows = 1; known < end; rows = kRows) {
        const std::int64_t stop = std::min(known + rows, end);
        std::int64_t as_long = known;
        while (as_long < stop && row_ptrs[as_long + 1] - row_ptrs[as_long] == length) ++as_long;
        const index_t* const before = col_idxs + row_ptrs[known - 1];
        const offset_t nonzeros = (as_long - known) * length;
        const offset_t same = shifted_columns(before + length, before, nonzeros, 1);
        known = same == nonzeros ? as_long : known + same / length;
        if (known < stop) break;
    }
    return known - row - 1;
}

/// Whether a row of CSR has its nonzeros on the same diagonals as the row that is `by` rows before.
inline bool is_shifted(const offset_t* row_ptrs, const index_t* col_idxs, std::int64_t row, index_t by) {
    const offset_t length = row_ptrs[row + 1] - row_ptrs[row];
    if (row_ptrs[row - by + 1] - row_ptrs[row - by] != length) return false;
    return shifted_columns(col_idxs + row_ptrs[row], col_idxs + row_ptrs[row - by], length, by) == length;
}

}  // namespace tilespmv
