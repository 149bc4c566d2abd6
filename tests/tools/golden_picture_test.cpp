// Whole pictures of tile maps.
#include <algorithm>
#include <array>
#include <set>
#include <sstream>
#include <variant>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "formats/list.hpp"
#include "selector/policy.hpp"
#include "tests/support/battery.hpp"
#include "tests/tools/decoded_png.hpp"
#include "tests/tools/golden.hpp"
#include "tools/picture/png.hpp"
#include "tools/picture/svg.hpp"
#include "tools/stats/tile_map_picture.hpp"

namespace tilespmv::tools {
namespace {

using Positions = std::set<std::pair<index_t, index_t>>;

/// Fails unless `found` shows `area` with its upper left corner at (left, top).
void expect_pixels(const Image& found, int left, int top, const Image& area) {
    ASSERT_LE(left + area.width(), found.width());
    ASSERT_LE(top + area.height(), found.height());
    for (int y = 0; y < area.height(); ++y) {
        for (int x = 0; x < area.width(); ++x) {
            ASSERT_EQ(found.at(left + x, top + y), area.at(x, y)) << "pixel (" << left + x << ", " << top + y << ')';
        }
    }
}

/// That no pixel of an area in the PNG is anything but what was recorded: exact, and covered by no text.
void expect_areas(const Picture& picture) {
    const Image found = test::decoded_png(png(picture));
    ASSERT_EQ(found.width(), picture.width());
    ASSERT_EQ(found.height(), picture.height());
    for (const auto& element : picture.elements()) {
        if (const auto* r = std::get_if<Picture::Rectangle>(&element)) {
            Image area(static_cast<int>(r->width), static_cast<int>(r->height));
            area.fill(0, 0, area.width(), area.height(), r->color);
            expect_pixels(found, static_cast<int>(r->x), static_cast<int>(r->y), area);
        } else if (const auto* p = std::get_if<Picture::Pixels>(&element)) {
            expect_pixels(found, static_cast<int>(p->x), static_cast<int>(p->y), p->image);
        }
    }
}

std::string blocks_text(const Image& image) {
    std::string text;
    for (const Block& b : blocks(image)) {
        text += fmt::format("{} {} {} {} {}\n", b.x, b.y, b.width, b.height, hex(b.color));
    }
    return text;
}

/// The SVG text with images as their blocks: whether and as what bytes they are embedded depends on who compresses
/// them.
std::string svg_with_blocks(const Picture& picture) {
    std::string images;
    for (const auto& element : picture.elements()) {
        if (const auto* p = std::get_if<Picture::Pixels>(&element)) {
            images += fmt::format("image at {} {}\n{}", p->x, p->y, blocks_text(p->image));
        }
    }
    std::string text;
    std::istringstream lines(svg(picture));
    for (std::string line; std::getline(lines, line);) {
        const auto starts_with = [&](const char* tag) { return line.starts_with(tag); };
        if (std::ranges::none_of(std::array{"<image", "<g ", "<path", "</g>"}, starts_with)) text += line + '\n';
    }
    return text + images;
}

void expect_map(const std::string& name, index_t rows, index_t cols, const Positions& positions,
                const std::string& selector) {
    const auto a = testing::matrix_of(rows, cols, positions);
    const auto tiles = convert(a, *make_policy(selector));
    const StatsReport report{
        name, "float64", matrix_statistics(a), {{selector, tiled_statistics(tiles, formats::format_table())}}};
    const Picture picture = draw_tile_map(make_tile_map(tiles, formats::kFormatCount), report);
    test::expect_golden(name + ".txt", svg_with_blocks(picture));
    expect_areas(picture);
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

TEST(GoldenTileMap, Empty) { expect_map("map_empty", 100, 300, {}, "paper"); }

}  // namespace
}  // namespace tilespmv::tools
