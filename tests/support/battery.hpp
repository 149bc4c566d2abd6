#pragma once

#include <cstdint>
#include <random>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "tile/csr.hpp"
#include "tile/tile_pattern.hpp"

/// Tiles and matrices that every format, selector and operator has to get right.
namespace tilespmv::testing {

struct NamedTile {
    std::string name;
    TilePattern pattern;
};

struct NamedMatrix {
    std::string name;
    CsrMatrix<double> csr;
};

/// A counted pattern of rows x cols with the positions for which `keep(r, c)` holds.
template <class Keep>
TilePattern tile_of(int rows, int cols, Keep&& keep) {
    TilePattern p;
    p.rows = rows;
    p.cols = cols;
    for (int r = 0; r < rows; ++r) {
        for (int c = 0; c < cols; ++c) {
            if (keep(r, c)) p.row_masks[r] = static_cast<std::uint16_t>(p.row_masks[r] | 1u << c);
        }
    }
    p.count();
    return p;
}

/// Non-empty tiles of every size that an edge can have and of every shape that a format cares for.
std::vector<NamedTile> tile_battery();

/// A matrix with nonzeros at the given positions and values that tell them apart.
CsrMatrix<double> matrix_of(index_t rows, index_t cols, const std::set<std::pair<index_t, index_t>>& positions);

/// Every size modulo 16, empty, one row, one column, dense, hub rows and columns, rows longer than a block,
/// hypersparse, all formats mixed, nothing or half of it worth a tile, columns 2^16 apart, explicit zeros.
std::vector<NamedMatrix> matrix_battery();

}  // namespace tilespmv::testing
