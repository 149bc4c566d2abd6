#include "tools/stats/tile_map.hpp"

#include <algorithm>
#include <numeric>

#include "formats/convert.hpp"
#include "tile/parallel.hpp"

namespace tilespmv::tools {
namespace {

constexpr std::int64_t kLongestSide = 1440;
constexpr std::int64_t kShortestSide = 200;
constexpr int kBlockPixels = 2;  // a lone block of tiles must be seen

/// An axis with the scale of a side of `tiles` tiles that shall take about `pixels`.
MapAxis make_axis(index_t size, std::int64_t tiles, std::int64_t pixels) {
    MapAxis axis;
    axis.size = size;
    if (tiles <= pixels) {
        axis.pixels_per_cell = static_cast<int>(pixels / std::max<std::int64_t>(1, tiles));
    } else {
        axis.pixels_per_cell = kBlockPixels;
        axis.tiles_per_cell = div_up(tiles * kBlockPixels, pixels);
    }
    axis.cells = static_cast<int>(div_up(div_up(size, kTileSize), axis.tiles_per_cell));
    axis.pixels = static_cast<int>(div_up(std::int64_t{size} * axis.pixels_per_cell, kTileSize * axis.tiles_per_cell));
    return axis;
}

/// Counts of one row of cells: nonzeros per cell and kind.
template <Value V>
class CellRow {
public:
    CellRow(const TileMatrix<V>& a, TileMap& map)
        : a_(a),
          map_(map),
          kinds_(static_cast<std::size_t>(map.deferred) + 1),
          nnz_(static_cast<std::size_t>(map.axes.cols.cells) * kinds_) {}

    void add_tiles(std::int64_t first_tile_row, std::int64_t last_tile_row) {
        const auto& ids = a_.tile_rows;
        auto k = std::lower_bound(ids.begin(), ids.end(), first_tile_row) - ids.begin();
        for (; k < std::ssize(ids) && ids[k] < last_tile_row; ++k) {
            for (offset_t t = a_.tile_ptrs[k]; t < a_.tile_ptrs[k + 1]; ++t) {
                add(a_.tiles[t].column(), a_.tiles[t].format(), a_.tiles[t].nnz());
            }
        }
    }

    void add_deferred(std::int64_t first_row, std::int64_t last_row) {
        const auto& d = a_.deferred;
        const auto& ids = d.row_ids;
        offset_t k = ids.empty() ? first_row : std::lower_bound(ids.begin(), ids.end(), first_row) - ids.begin();
        for (; k < d.listed_rows() && d.row(k) < last_row; ++k) {
            for (offset_t p = d.begin(k); p < d.begin(k + 1); ++p) add(d.col_idxs[p] / kTileSize, map_.deferred, 1);
        }
    }

    void store(int cell_row) {
        for (std::size_t c = 0; c < nnz_.size() / kinds_; ++c) {
            const auto first = nnz_.begin() + static_cast<std::ptrdiff_t>(c * kinds_);
            const auto last = first + static_cast<std::ptrdiff_t>(kinds_);
            auto& cell = map_.cells[static_cast<std::size_t>(cell_row) * (nnz_.size() / kinds_) + c];
            cell.nnz = std::accumulate(first, last, offset_t{0});
            cell.kind = static_cast<int>(std::max_element(first, last) - first);
        }
    }

private:
    void add(index_t tile_column, int kind, offset_t nnz) {
        const auto cell = static_cast<std::size_t>(tile_column / map_.axes.cols.tiles_per_cell);
        nnz_[cell * kinds_ + static_cast<std::size_t>(kind)] += nnz;
    }

    const TileMatrix<V>& a_;
    TileMap& map_;
    std::size_t kinds_;
    std::vector<offset_t> nnz_;
};

template <Value V>
std::vector<std::pair<index_t, index_t>> positions(const CsrMatrix<V>& a) {
    std::vector<std::pair<index_t, index_t>> nonzeros;
    for (index_t r = 0; r < a.rows; ++r) {
        for (offset_t p = a.row_ptrs[r]; p < a.row_ptrs[r + 1]; ++p) nonzeros.emplace_back(r, a.col_idxs[p]);
    }
    return nonzeros;
}

}  // namespace

int MapAxis::pixel(std::int64_t element) const {
    return static_cast<int>(element * pixels_per_cell / (kTileSize * tiles_per_cell));
}

std::int64_t MapAxis::elements(int cell) const {
    const std::int64_t first = cell * tiles_per_cell * kTileSize;
    return std::min<std::int64_t>(size - first, tiles_per_cell * kTileSize);
}

MapAxes map_axes(index_t rows, index_t cols) {
    const std::int64_t tile_rows = div_up(rows, kTileSize);
    const std::int64_t tile_cols = div_up(cols, kTileSize);
    const std::int64_t longer = std::max(tile_rows, tile_cols);
    const auto axis = [&](index_t size, std::int64_t tiles) {
        const MapAxis square = make_axis(size, longer, kLongestSide);
        return square.pixels < kShortestSide ? make_axis(size, tiles, kShortestSide) : square;
    };
    return {axis(rows, tile_rows), axis(cols, tile_cols)};
}

double TileMap::fill(int row, int col) const {
    const auto area = static_cast<double>(axes.rows.elements(row)) * static_cast<double>(axes.cols.elements(col));
    return static_cast<double>(at(row, col).nnz) / area;
}

template <Value V>
TileMap make_tile_map(const TileMatrix<V>& a, int format_count) {
    TileMap map{.axes = map_axes(a.rows, a.cols), .deferred = format_count, .cells = {}, .nonzeros = {}};
    const MapAxis& rows = map.axes.rows;
    map.cells.resize(static_cast<std::size_t>(rows.cells) * static_cast<std::size_t>(map.axes.cols.cells));
    parallel_for(0, rows.cells, 1, [&](std::int64_t r) {
        const std::int64_t first = r * rows.tiles_per_cell;
        const std::int64_t last = first + rows.tiles_per_cell;
        CellRow<V> row(a, map);
        row.add_tiles(first, last);
        row.add_deferred(first * kTileSize, last * kTileSize);
        row.store(static_cast<int>(r));
    });
    if (rows.shows_elements() && map.axes.cols.shows_elements()) map.nonzeros = positions(unpack(a));
    return map;
}

#define TILESPMV_INSTANTIATE(V) template TileMap make_tile_map(const TileMatrix<V>&, int);
TILESPMV_FOR_EACH_VALUE(TILESPMV_INSTANTIATE)

}  // namespace tilespmv::tools
