#pragma once

#include <cstddef>
#include <utility>
#include <vector>

#include "tile/tile_matrix.hpp"

namespace tilespmv::tools {

/// How one side of a matrix is divided into cells, and how long these are drawn.
struct MapAxis {
    index_t size = 0;  ///< rows or columns
    std::int64_t tiles_per_cell = 1;
    int pixels_per_cell = 1;
    int cells = 0;
    int pixels = 0;  ///< the whole side; a tile cut by the edge of the matrix is drawn cut

    /// Where an element's near edge is drawn.
    [[nodiscard]] int pixel(std::int64_t element) const;
    /// Whether a single row or column is wide enough to be seen.
    [[nodiscard]] bool shows_elements() const { return tiles_per_cell == 1 && pixels_per_cell >= 3 * kTileSize; }
    /// Rows or columns that a cell covers.
    [[nodiscard]] std::int64_t elements(int cell) const;
};

/// The axes of a map whose longer side takes 720 to 1440 pixels: up to 1440 tiles are cells of their own, more of them
/// share cells of two pixels. Tiles are square, unless the shorter side would have fewer than 200 pixels: then it is
/// stretched.
struct MapAxes {
    MapAxis rows;
    MapAxis cols;
};
MapAxes map_axes(index_t rows, index_t cols);

/// A tile, or a block of tiles that share a pixel.
struct MapCell {
    offset_t nnz = 0;
    int kind = 0;  ///< format id that holds most of these nonzeros, or `TileMap::deferred`

    [[nodiscard]] bool empty() const { return nnz == 0; }
};

/// What a picture of a tiled matrix shows, cell by cell.
struct TileMap {
    MapAxes axes;
    int deferred = 0;            ///< kind of cells dominated by deferred nonzeros; the number of formats
    std::vector<MapCell> cells;  ///< row by row
    std::vector<std::pair<index_t, index_t>> nonzeros;  ///< row and column of each, if both axes show elements

    [[nodiscard]] const MapCell& at(int row, int col) const {
        return cells[static_cast<std::size_t>(row) * static_cast<std::size_t>(axes.cols.cells) +
                     static_cast<std::size_t>(col)];
    }
    /// Share of the cell's positions that hold nonzeros.
    [[nodiscard]] double fill(int row, int col) const;
};

/// Adds up a matrix with `format_count` formats into cells. Linear in tiles + deferred nonzeros, in parallel.
template <Value V>
TileMap make_tile_map(const TileMatrix<V>& a, int format_count);

}  // namespace tilespmv::tools
