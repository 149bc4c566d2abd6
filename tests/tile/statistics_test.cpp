#include "tile/statistics.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <random>
#include <set>

#include "formats/list.hpp"
#include "selector/policy.hpp"
#include "tests/support/battery.hpp"
#include "tests/support/threads.hpp"
#include "tests/support/tile_rows.hpp"
#include "tile/error.hpp"

namespace tilespmv::testing {
namespace {

using Positions = std::set<std::pair<index_t, index_t>>;
using Counts = std::map<std::pair<index_t, index_t>, offset_t>;

/// Nonzeros per non-empty block of height x width.
Counts count_blocks(const Positions& positions, index_t height, index_t width) {
    Counts counts;
    for (const auto& [r, c] : positions) ++counts[{r / height, c / width}];
    return counts;
}

std::vector<offset_t> sorted_values(const Counts& counts) {
    std::vector<offset_t> values;
    for (const auto& [where, n] : counts) values.push_back(n);
    std::sort(values.begin(), values.end());
    return values;
}

void expect_spread(const CountSpread& spread, const std::vector<offset_t>& values) {
    ASSERT_EQ(spread.count, std::ssize(values));
    double sum = 0;
    double squares = 0;
    offset_t max = 0;
    for (const auto v : values) {
        sum += static_cast<double>(v);
        max = std::max(max, v);
    }
    const double mean = values.empty() ? 0 : sum / static_cast<double>(values.size());
    for (const auto v : values) squares += (static_cast<double>(v) - mean) * (static_cast<double>(v) - mean);
    EXPECT_DOUBLE_EQ(spread.mean, mean);
    EXPECT_EQ(spread.max, max);
    const double deviation = values.empty() ? 0 : std::sqrt(squares / static_cast<double>(values.size()));
    const double variation = mean == 0 ? 0 : deviation / mean;
    EXPECT_NEAR(spread.variation, variation, 1e-10 * variation);
}

void expect_grid(const TileGridStatistics& grid, const std::vector<offset_t>& tiles) {
    EXPECT_EQ(grid.tiles, std::ssize(tiles));
    decltype(grid.histogram) histogram{};
    for (const auto n : tiles)
        ++histogram[n == 256 ? 9 : n > 128 ? 8 : static_cast<std::size_t>(std::ceil(std::log2(n)))];
    EXPECT_EQ(grid.histogram, histogram);
    if (tiles.empty()) return;
    EXPECT_EQ(grid.max, tiles.back());
    EXPECT_DOUBLE_EQ(grid.median, static_cast<double>(tiles[(tiles.size() - 1) / 2] + tiles[tiles.size() / 2]) / 2);
}

void expect_tile_rows(const TileRowStatistics& rows, std::vector<offset_t> nnz, offset_t total) {
    expect_spread(rows.nnz, nnz);
    std::reverse(nnz.begin(), nnz.end());
    double heaviest = 0;
    for (std::size_t i = 0; i < (nnz.size() + 99) / 100; ++i) heaviest += static_cast<double>(nnz[i]);
    EXPECT_DOUBLE_EQ(rows.heaviest_share, total == 0 ? 0 : heaviest / static_cast<double>(total));
}

BsrStatistics smallest_bsr(const Positions& positions, index_t rows) {
    BsrStatistics best;
    for (const index_t b : {2, 4, 8, 16}) {
        const auto blocks = std::ssize(count_blocks(positions, b, b));
        const offset_t bytes = blocks * (8 * b * b + 4) + 4 * ((rows + b - 1) / b + 1);
        if (best.block_size == 0 || bytes < best.bytes) best = {b, blocks, bytes};
    }
    return best;
}

void expect_statistics(const CsrMatrix<double>& a) {
    const auto s = matrix_statistics(a);
    const auto positions = positions_of(a);
    EXPECT_EQ(s.rows, a.rows);
    EXPECT_EQ(s.cols, a.cols);
    EXPECT_EQ(s.nnz, a.nnz());
    std::vector<offset_t> lengths(static_cast<std::size_t>(a.rows));
    for (const auto& [r, c] : positions) ++lengths[static_cast<std::size_t>(r)];
    expect_spread(s.row_length, lengths);
    EXPECT_EQ(s.empty_rows, std::count(lengths.begin(), lengths.end(), 0));
    EXPECT_EQ(s.grid.possible, offset_t{(a.rows + 15) / 16} * ((a.cols + 15) / 16));
    expect_grid(s.grid, sorted_values(count_blocks(positions, 16, 16)));
    expect_tile_rows(s.tile_rows, sorted_values(count_blocks(positions, 16, a.cols + 1)), a.nnz());
    EXPECT_EQ(s.csr_bytes, 4 * (a.rows + 1) + 12 * a.nnz());
    EXPECT_EQ(s.coo_bytes, 16 * a.nnz());
    EXPECT_EQ(s.ell_bytes, 12 * a.rows * s.row_length.max);
    EXPECT_EQ(s.bsr, smallest_bsr(positions, a.rows));
}

CsrMatrix<double> random_matrix(unsigned seed, index_t rows, index_t cols, int nnz) {
    std::mt19937 random(seed);
    Positions positions;
    for (int i = 0; i < nnz; ++i) {
        // Squaring crowds the nonzeros into the first rows and columns, so that tiles of all fills occur.
        const auto coordinate = [&](index_t size) {
            const double x = static_cast<double>(random()) / 4294967296.0;
            return static_cast<index_t>(x * x * size);
        };
        positions.emplace(coordinate(rows), coordinate(cols));
    }
    return matrix_of(rows, cols, positions);
}

TEST(MatrixStatistics, AgreesWithBruteForceOnTheBattery) {
    for (const auto& [name, a] : matrix_battery()) {
        SCOPED_TRACE(name);
        expect_statistics(a);
    }
}

TEST(MatrixStatistics, AgreesWithBruteForceOnRandomMatrices) {
    for (unsigned seed = 0; seed < 20; ++seed) {
        SCOPED_TRACE(seed);
        expect_statistics(random_matrix(seed, 37 + 100 * static_cast<index_t>(seed), 511, 3000));
    }
}

TEST(MatrixStatistics, FloatValuesTakeFourBytes) {
    const auto a = convert_values<float>(matrix_of(2, 2, {{0, 0}, {0, 1}, {1, 0}, {1, 1}}));
    const auto s = matrix_statistics(a);
    EXPECT_EQ(s.csr_bytes, 3 * 4 + 4 * 8);
    EXPECT_EQ(s.coo_bytes, 4 * 12);
    EXPECT_EQ(s.ell_bytes, 4 * 8);
    EXPECT_EQ(s.bsr, (BsrStatistics{2, 1, 16 + 4 + 8}));
}

TEST(MatrixStatistics, DoesNotDependOnTheNumberOfThreads) {
    const auto a = random_matrix(7, 20000, 3000, 50000);
    const auto made = [&] { return matrix_statistics(a); };
    EXPECT_EQ(test::with_threads(5, made), test::with_threads(1, made));
}

TEST(MatrixStatistics, RefusesBrokenMatrices) {
    auto a = matrix_of(2, 2, {{0, 0}, {1, 1}});
    a.col_idxs[1] = 2;
    EXPECT_THROW(matrix_statistics(a), Error);
    a.row_ptrs[1] = 3;
    EXPECT_THROW(matrix_statistics(a), Error);
}

/// Sums per format, one tile at a time.
std::vector<FormatStatistics> formats_by_hand(const TileMatrix<double>& m) {
    std::vector<FormatStatistics> formats(formats::format_table().size());
    for (std::size_t k = 0; k < m.tile_rows.size(); ++k) {
        std::set<int> in_tile_row;
        for_each_tile(m, static_cast<offset_t>(k), [&](const TileView<double>& tile) {
            auto& f = formats.at(static_cast<std::size_t>(tile.entry.format()));
            f.tile_rows += in_tile_row.insert(tile.entry.format()).second;
            f.tiles += 1;
            f.nnz += tile.entry.nnz();
            f.padding += tile.entry.values() - tile.entry.nnz();
            f.value_bytes += 8 * tile.entry.values();
            f.index_bytes += tile.entry.index_bytes();
            f.mask_bytes += formats::format_table()[static_cast<std::size_t>(tile.entry.format())].mask_bytes(
                tile.rows, tile.cols, tile.entry);
            f.level1_bytes += 8;
        });
    }
    return formats;
}

void expect_tiled_statistics(const TileMatrix<double>& m) {
    const auto s = tiled_statistics(m, formats::format_table());
    const auto by_hand = formats_by_hand(m);
    ASSERT_EQ(s.formats.size(), by_hand.size());
    FormatStatistics sum;
    for (std::size_t id = 0; id < s.formats.size(); ++id) {
        const auto& f = s.formats[id];
        const auto& expected = by_hand[id];
        EXPECT_EQ(f.name, formats::format_table()[id].name);
        EXPECT_EQ(f.tiles, expected.tiles) << f.name;
        EXPECT_EQ(f.tile_rows, expected.tile_rows) << f.name;
        EXPECT_EQ(f.nnz, expected.nnz) << f.name;
        EXPECT_EQ(f.padding, expected.padding) << f.name;
        EXPECT_EQ(f.value_bytes, expected.value_bytes) << f.name;
        EXPECT_EQ(f.index_bytes, expected.index_bytes) << f.name;
        EXPECT_EQ(f.mask_bytes, expected.mask_bytes) << f.name;
        EXPECT_EQ(f.level1_bytes, expected.level1_bytes) << f.name;
        EXPECT_EQ(f.bytes(), f.value_bytes + f.index_bytes + f.level1_bytes);
        sum.tiles += f.tiles;
        sum.nnz += f.nnz;
        sum.value_bytes += f.value_bytes;
        sum.index_bytes += f.index_bytes;
        sum.level1_bytes += f.level1_bytes;
    }
    EXPECT_EQ(s.tiles, sum.tiles);
    EXPECT_EQ(sum.nnz + s.deferred.nnz, m.nnz);
    EXPECT_EQ(s.value_bytes, sum.value_bytes);
    EXPECT_EQ(s.index_bytes, sum.index_bytes);
    EXPECT_EQ(s.level1_bytes, sum.level1_bytes + 28 * std::ssize(m.tile_rows) + 24);
    EXPECT_EQ(s.bytes, s.level1_bytes + s.index_bytes + s.value_bytes + s.deferred.bytes);
    offset_t published = (div_up(m.rows, kTileSize) + 1) * 4 + s.published.deferred_bytes;
    for (const auto& f : s.formats) published += f.published_bytes();
    EXPECT_EQ(s.published.bytes(), published);
    EXPECT_DOUBLE_EQ(s.bytes_per_nnz, m.nnz == 0 ? 0 : static_cast<double>(s.bytes) / static_cast<double>(m.nnz));
}

TEST(TiledStatistics, AgreesWithBruteForce) {
    const auto battery = matrix_battery();
    for (const auto* selector :
         {"paper", "paper-deferred", "paper-tuned:coo=0,hyb=0,defer_hyb=1", "bytes", "only:hyb"}) {
        const auto policy = make_policy(selector);
        for (const auto& [name, a] : battery) {
            SCOPED_TRACE(std::string(selector) + " " + name);
            expect_tiled_statistics(convert(a, *policy));
        }
    }
}

TEST(TiledStatistics, CountsRowsThatHoldDeferredNonzeros) {
    const auto tiles_of = [](const CsrMatrix<double>& a) { return convert(a, *make_policy("paper-deferred:defer=2")); };
    const auto few =
        tiled_statistics(tiles_of(matrix_of(100, 100, {{0, 0}, {0, 50}, {99, 3}})), formats::format_table());
    EXPECT_EQ(few.tiles, 0);
    EXPECT_EQ(few.deferred.nnz, 3);
    EXPECT_EQ(few.deferred.rows, 2);
    EXPECT_EQ(few.deferred.tile_rows, 2);
    EXPECT_EQ(few.deferred.bytes, 2 * 4 + 3 * 4 + 3 * 12);
    EXPECT_EQ(few.published.deferred_bytes, 101 * 4 + 3 * 12) << "with a pointer for every row";
    EXPECT_EQ(few.published.bytes(), 101 * 4 + 3 * 12 + 8 * 4) << "and for every tile row";

    Positions most;
    for (index_t r = 7; r < 97; ++r) most.emplace(r, r * 40);
    const auto all = tiles_of(matrix_of(100, 4000, most));
    ASSERT_TRUE(all.deferred.row_ids.empty());
    const auto deferred = tiled_statistics(all, formats::format_table()).deferred;
    EXPECT_EQ(deferred.rows, 90);
    EXPECT_EQ(deferred.tile_rows, 7);
}

TEST(TiledStatistics, CountsPartsOfTilesInTheirFormatAndTheRestAsDeferred) {
    Positions positions;
    for (index_t r = 0; r < 9; ++r) positions.emplace(r, r);
    for (index_t c = 1; c < 5; ++c) positions.emplace(0, c);
    const auto s = tiled_statistics(convert(matrix_of(16, 16, positions), *make_policy("paper:defer_hyb=1")),
                                    formats::format_table());
    EXPECT_EQ(s.tiles, 1);
    const auto& ell = s.formats[formats::id_of<formats::Ell>];
    EXPECT_EQ(ell.tiles, 1);
    EXPECT_EQ(ell.nnz, 9);
    EXPECT_EQ(ell.padding, 7);
    EXPECT_EQ(ell.index_bytes, 8 + 2);
    EXPECT_EQ(s.formats[formats::id_of<formats::Hyb>].tiles, 0);
    EXPECT_EQ(s.deferred.nnz, 4);
    EXPECT_EQ(s.deferred.rows, 1);
}

TEST(SaturatingProduct, StopsAtTheLargestNumber) {
    constexpr auto max = std::numeric_limits<offset_t>::max();
    constexpr offset_t root = 3'037'000'499;  // its square is the last that fits
    EXPECT_EQ(saturating_product(root, root), root * root);
    EXPECT_EQ(saturating_product(root + 1, root + 1), max);
    EXPECT_EQ(saturating_product(max, 1), max);
    EXPECT_EQ(saturating_product(max / 2, 2), max - 1);
    EXPECT_EQ(saturating_product(max / 2 + 1, 2), max);
    EXPECT_EQ(saturating_product(3, max), max);
    EXPECT_EQ(saturating_product(0, max), 0);
}

}  // namespace
}  // namespace tilespmv::testing
