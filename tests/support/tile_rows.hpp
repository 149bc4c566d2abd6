#pragma once

#include "tests/support/battery.hpp"

namespace tilespmv::testing {

/// `tiles` full tiles side by side in each of `rows` / 16 tile rows.
inline CsrMatrix<double> blocks(index_t rows, index_t tiles) {
    std::set<std::pair<index_t, index_t>> positions;
    for (index_t r = 0; r < rows; ++r) {
        for (index_t c = 0; c < tiles * kTileSize; ++c) positions.insert({r, c});
    }
    return matrix_of(rows, tiles * kTileSize, positions);
}

inline std::set<std::pair<index_t, index_t>> positions_of(const CsrMatrix<double>& a) {
    std::set<std::pair<index_t, index_t>> positions;
    for (index_t r = 0; r < a.rows; ++r) {
        for (offset_t k = a.row_ptrs[r]; k < a.row_ptrs[r + 1]; ++k) positions.insert({r, a.col_idxs[k]});
    }
    return positions;
}

}  // namespace tilespmv::testing
