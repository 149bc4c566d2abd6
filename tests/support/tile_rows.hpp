#pragma once

#include "selector/paths.hpp"
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

/// The nonzeros of the tile rows that have this path.
inline CsrMatrix<double> rows_of(const CsrMatrix<double>& a, const cuda::Paths& paths, cuda::Path path) {
    std::set<std::pair<index_t, index_t>> positions;
    for (index_t r = 0; r < a.rows; ++r) {
        if (paths[static_cast<std::size_t>(r / kTileSize)] != path) continue;
        for (offset_t k = a.row_ptrs[r]; k < a.row_ptrs[r + 1]; ++k) positions.insert({r, a.col_idxs[k]});
    }
    auto rows = matrix_of(a.rows, a.cols, positions);
    offset_t next = 0;
    for (index_t r = 0; r < a.rows; ++r) {
        if (paths[static_cast<std::size_t>(r / kTileSize)] != path) continue;
        for (offset_t k = a.row_ptrs[r]; k < a.row_ptrs[r + 1]; ++k) rows.values[next++] = a.values[k];
    }
    return rows;
}

}  // namespace tilespmv::testing
