// Whole pictures of tile maps.
#include <set>

#include <gtest/gtest.h>

#include "formats/list.hpp"
#include "selector/policy.hpp"
#include "tests/support/battery.hpp"
#include "tests/tools/golden.hpp"
#include "tools/stats/tile_map_picture.hpp"

namespace tilespmv::tools {
namespace {

using Positions = std::set<std::pair<index_t, index_t>>;

void expect_map(const std::string& name, index_t rows, index_t cols, const Positions& positions,
                const std::string& selector) {
    const auto a = testing::matrix_of(rows, cols, positions);
    const auto tiles = convert(a, *make_policy(selector));
    const StatsReport report{
        name, "float64", matrix_statistics(a), {{selector, tiled_statistics(tiles, formats::format_table())}}};
    test::expect_golden_picture(name + ".png",
                                draw_tile_map(make_tile_map(tiles, formats::kFormatCount), report).png());
}

void add_block(Positions& positions, index_t row, index_t col, index_t rows, index_t cols) {
    for (index_t r = 0; r < rows; ++r) {
        for (index_t c = 0; c < cols; ++c) positions.emplace(row + r, col + c);
    }
}

// Nonzeros are drawn one by one, those outside the tiles too; the last tiles are cut.
TEST(GoldenTileMap, Nonzeros) {
    Positions positions{{0, 30}, {35, 3}, {40, 20}, {44, 51}};
    add_block(positions, 0, 0, 16, 16);
    add_block(positions, 20, 32, 1, 16);
    add_block(positions, 16, 17, 16, 1);
    expect_map("map_nonzeros", 45, 52, positions, "paper-deferred:defer=2");
}

// Tiles are shaded by how full they are.
TEST(GoldenTileMap, Shades) {
    Positions positions;
    for (index_t i = 0; i < 60; ++i) add_block(positions, 16 * i, 16 * i, 1 + i % 16, 1 + i % 5 * 3);
    add_block(positions, 0, 640, 16, 32);
    positions.emplace(959, 0);
    expect_map("map_shades", 960, 960, positions, "paper-deferred:defer=4");
}

// A wide matrix is stretched and has its legend below; both axes share tiles into cells, by numbers of their own.
TEST(GoldenTileMap, Wide) {
    Positions positions;
    for (index_t i = 0; i < 500; ++i) positions.emplace(i * 37 % 900, i * 211 % 99'991);
    add_block(positions, 300, 40'000, 64, 64);
    expect_map("map_wide", 900, 100'000, positions, "bytes");
}

// Several tiles share a cell; one format alone, all cells alike.
TEST(GoldenTileMap, ManyTiles) {
    Positions positions;
    for (index_t i = 0; i < 30'000; i += 16) positions.emplace(i, i);
    expect_map("map_many_tiles", 30'000, 30'000, positions, "only:coo");
}

// Tiles stand apart by one pixel across and by two down; the last ones are cut.
TEST(GoldenTileMap, Gaps) {
    Positions positions;
    for (index_t i = 0; i < 40; ++i) add_block(positions, i % 16, 16 * i, 1 + i % 5, 1 + i % 15);
    for (index_t i = 0; i < 40; i += 3) add_block(positions, 16, 16 * i, 1 + i % 4, 14);
    expect_map("map_gaps", 20, 638, positions, "bytes");
}

// Every character there is, and what stands for all others.
TEST(GoldenTileMap, Font) {
    Canvas canvas(220, 140);
    std::string line;
    int y = 4;
    for (char c = ' '; c <= '~'; ++c) {
        line += c;
        if (c % 16 != 15 && c != '~') continue;
        canvas.text(4, y, 2, {0, 0, 0}, line);
        y += 22;
        line.clear();
    }
    canvas.text(200, y - 22, 2, {0, 0, 0}, "\x1f");
    test::expect_golden_picture("font.png", canvas.png());
}

TEST(GoldenTileMap, Empty) { expect_map("map_empty", 100, 300, {}, "paper"); }

}  // namespace
}  // namespace tilespmv::tools
