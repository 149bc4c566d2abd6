#include "tools/stats/tile_map.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <random>

#include "formats/list.hpp"
#include "selector/policy.hpp"
#include "tests/support/battery.hpp"
#include "tools/stats/tile_map_picture.hpp"

namespace tilespmv::tools {
namespace {

using testing::matrix_of;
using Positions = std::set<std::pair<index_t, index_t>>;

TEST(MapAxes, LongerSideFitsAScreen) {
    for (index_t tiles = 1; tiles < 5000; ++tiles) {
        const MapAxis axis = map_axes(tiles * 16, tiles * 16).rows;
        EXPECT_GE(axis.pixels, 700) << tiles;
        EXPECT_LE(axis.pixels, 1440) << tiles;
        EXPECT_EQ(axis.tiles_per_cell > 1, tiles > 1440) << tiles;
        EXPECT_GE(axis.cells * axis.tiles_per_cell, tiles);
        EXPECT_LT((axis.cells - 1) * axis.tiles_per_cell, tiles);
    }
}

TEST(MapAxes, EveryElementIsInsideTheMap) {
    for (const index_t size : {1, 15, 17, 100, 23041, 1000003, 2147483647}) {
        const MapAxis axis = map_axes(size, 16).rows;
        EXPECT_EQ(axis.pixel(0), 0);
        EXPECT_LT(axis.pixel(size - 1), axis.pixels) << size;
        EXPECT_GE(axis.pixel(size), axis.pixels - 1) << size;
    }
}

TEST(MapAxes, NarrowMatricesAreStretched) {
    const MapAxes axes = map_axes(36, 87482);
    EXPECT_GE(axes.rows.pixels, 140);
    EXPECT_LE(axes.rows.pixels, 200);
    EXPECT_GE(axes.cols.pixels, 700);
    const MapAxes square = map_axes(4000, 16000);
    EXPECT_EQ(square.rows.pixels_per_cell, square.cols.pixels_per_cell);
}

/// Nonzeros of every cell by kind, one nonzero at a time.
std::map<std::pair<int, int>, std::map<int, offset_t>> cells_by_hand(const TileMatrix<double>& m, const TileMap& map) {
    std::map<std::pair<int, int>, std::map<int, offset_t>> cells;
    const auto add = [&](std::int64_t row, std::int64_t col, int kind, offset_t nnz) {
        const auto r = static_cast<int>(row / (16 * map.axes.rows.tiles_per_cell));
        const auto c = static_cast<int>(col / (16 * map.axes.cols.tiles_per_cell));
        cells[{r, c}][kind] += nnz;
    };
    for (std::size_t k = 0; k < m.tile_rows.size(); ++k) {
        for_each_tile(m, static_cast<offset_t>(k), [&](const TileView<double>& t) {
            add(m.tile_rows[k] * 16, std::int64_t{t.entry.column()} * 16, t.entry.format(), t.entry.nnz());
        });
    }
    for (offset_t k = 0; k < m.deferred.listed_rows(); ++k) {
        for (offset_t p = m.deferred.begin(k); p < m.deferred.begin(k + 1); ++p) {
            add(m.deferred.row(k), m.deferred.col_idxs[p], map.deferred, 1);
        }
    }
    return cells;
}

void expect_cells(const CsrMatrix<double>& a, const char* selector) {
    const auto tiles = convert(a, *make_policy(selector));
    const TileMap map = make_tile_map(tiles, formats::kFormatCount);
    auto expected = cells_by_hand(tiles, map);
    for (int r = 0; r < map.axes.rows.cells; ++r) {
        for (int c = 0; c < map.axes.cols.cells; ++c) {
            offset_t nnz = 0;
            offset_t most = 0;
            for (const auto& [kind, n] : expected[{r, c}]) {
                nnz += n;
                most = std::max(most, n);
            }
            ASSERT_EQ(map.at(r, c).nnz, nnz) << r << ' ' << c;
            if (nnz > 0) {
                ASSERT_EQ((expected[{r, c}][map.at(r, c).kind]), most) << r << ' ' << c;
            }
        }
    }
}

TEST(TileMap, CellsAgreeWithBruteForce) {
    std::mt19937 random(5);
    for (const auto& [rows, cols] : {std::pair{300, 500}, std::pair{40000, 30000}, std::pair{20, 100000}}) {
        Positions positions;
        for (unsigned i = 0; i < 4000; ++i) {
            positions.emplace(random() % static_cast<unsigned>(rows), random() % static_cast<unsigned>(cols));
            positions.emplace(random() % 16, random() % static_cast<unsigned>(cols));
            positions.emplace(random() % 16, random() % 200);
        }
        const auto a = matrix_of(rows, cols, positions);
        expect_cells(a, "paper");
        expect_cells(a, "paper-deferred:defer=3");
    }
}

TEST(TileMap, FillCountsOnlyPositionsOfTheMatrix) {
    const auto map = make_tile_map(convert(matrix_of(20, 18, {{0, 0}, {17, 17}}), *make_policy("bytes:defer=0")),
                                   formats::kFormatCount);
    EXPECT_DOUBLE_EQ(map.fill(0, 0), 1.0 / 256);
    EXPECT_DOUBLE_EQ(map.fill(1, 1), 1.0 / 8);
    EXPECT_EQ(map.fill(0, 1), 0);
}

Picture draw_picture(const TileMap& map, const TileMatrix<double>& tiles, const CsrMatrix<double>& a) {
    return draw_tile_map(map, {"sample",
                               "float64",
                               matrix_statistics(a),
                               {{"some selector", tiled_statistics(tiles, formats::format_table())}}});
}

TEST(TileMapPicture, DrawsEveryMatrixOfTheBattery) {
    const auto policy = make_policy("paper-deferred");
    for (const auto& [name, a] : testing::matrix_battery()) {
        SCOPED_TRACE(name);
        const auto tiles = convert(a, *policy);
        const Picture picture = draw_picture(make_tile_map(tiles, formats::kFormatCount), tiles, a);
        EXPECT_GT(picture.width(), 100);
        EXPECT_LT(picture.width(), 2500);
        EXPECT_GT(picture.height(), 100);
        EXPECT_LT(picture.height(), 2000);
    }
}

}  // namespace
}  // namespace tilespmv::tools
