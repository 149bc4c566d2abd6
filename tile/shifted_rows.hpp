#pragma once

#include <algorithm>
#include <cstdint>

#include "tile/types.hpp"

namespace tilespmv {

/// How many rows of CSR that follow `row`, before `end`, have their nonzeros on the same diagonals as `row`.
inline std::int64_t shifted_rows(const offset_t* row_ptrs, const index_t* col_idxs, std::int64_t row,
                                 std::int64_t end) {
    constexpr std::int64_t kRows = 32;  // that are compared at once, if the first one is like `row`
    constexpr offset_t kTogether = 16;  // columns, without a branch
    const offset_t length = row_ptrs[row + 1] - row_ptrs[row];
    std::int64_t known = row + 1;
    for (std::int64_t rows = 1; known < end; rows = kRows) {
        const std::int64_t stop = std::min(known + rows, end);
        std::int64_t as_long = known;
        while (as_long < stop && row_ptrs[as_long + 1] - row_ptrs[as_long] == length) ++as_long;
        const index_t* const before = col_idxs + row_ptrs[known - 1];
        const index_t* const columns = before + length;
        const offset_t nonzeros = (as_long - known) * length;
        offset_t same = 0;
        for (index_t apart = 0; same + kTogether <= nonzeros; same += kTogether) {
            for (offset_t k = same; k < same + kTogether; ++k) apart |= (columns[k] - before[k]) ^ 1;
            if (apart != 0) break;
        }
        while (same < nonzeros && columns[same] - before[same] == 1) ++same;
        known = same == nonzeros ? as_long : known + same / length;
        if (known < stop) break;
    }
    return known - row - 1;
}

}  // namespace tilespmv
