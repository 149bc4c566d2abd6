#include "tile/tile_scanner.hpp"

#include <map>
#include <random>

#include <gmock/gmock.h>

#include "tests/support/message_of.hpp"
#include "tests/support/tile_rows.hpp"

namespace tilespmv::testing {
namespace {

using Positions = std::set<std::pair<index_t, index_t>>;

/// Tiles of a tile row by their columns, each the set of its nonzeros.
using Tiles = std::map<index_t, std::set<std::pair<int, int>>>;

Tiles tiles_of(const Positions& positions, index_t tile_row) {
    Tiles tiles;
    for (const auto& [row, col] : positions) {
        if (row / kTileSize == tile_row) tiles[col / kTileSize].insert({row % kTileSize, col % kTileSize});
    }
    return tiles;
}

std::set<std::pair<int, int>> nonzeros_of(const TilePattern& pattern) {
    std::set<std::pair<int, int>> nonzeros;
    for (int r = 0; r < pattern.rows; ++r) {
        for_each_bit(pattern.row_masks[static_cast<std::size_t>(r)], [&](int c) { nonzeros.insert({r, c}); });
    }
    return nonzeros;
}

void expect_counted(TilePattern pattern) {
    const TilePattern found = pattern;
    pattern.count();
    EXPECT_EQ(found.nnz, pattern.nnz);
    EXPECT_EQ(found.longest_row, pattern.longest_row);
    EXPECT_EQ(found.row_counts, pattern.row_counts);
}

/// The tiles of every tile row as the scanner finds them; what it says of each is checked on the way.
void expect_tiles(const Positions& positions, index_t rows, index_t cols) {
    const auto a = matrix_of(rows, cols, positions);
    for (index_t t = 0; t < div_up(rows, kTileSize); ++t) {
        TileScanner scanner(a, t);
        Tiles found;
        index_t before = -1;
        while (scanner.next()) {
            const TilePattern& pattern = scanner.pattern();
            EXPECT_LT(before, scanner.column());
            before = scanner.column();
            EXPECT_EQ(pattern.cols, std::min(kTileSize, cols - before * kTileSize));
            expect_counted(pattern);
            pattern.for_each_row([&](int r) {
                const auto mask = pattern.row_masks[static_cast<std::size_t>(r)];
                EXPECT_EQ(a.col_idxs[scanner.first(r)], before * kTileSize + std::countr_zero(mask));
            });
            found[before] = nonzeros_of(pattern);
        }
        EXPECT_FALSE(scanner.next());
        EXPECT_EQ(found, tiles_of(positions, t)) << "tile row " << t;
    }
}

class Columns {
public:
    explicit Columns(unsigned seed) : random_(seed) {}
    /// `count` nonzeros in each of these rows, between two columns.
    void scatter(Positions& positions, index_t first_row, index_t end_row, index_t first, index_t end, int count) {
        std::uniform_int_distribution<index_t> column(first, end - 1);
        for (index_t r = first_row; r < end_row; ++r) {
            for (int i = 0; i < count; ++i) positions.insert({r, column(random_)});
        }
    }

private:
    std::mt19937 random_;
};

TEST(TileScanner, FindsScatteredTilesOfAnyWidth) {
    for (const index_t cols : {1000, 65'536, 65'537, 1 << 20, 1 << 24, std::numeric_limits<index_t>::max()}) {
        Positions positions;
        Columns(1).scatter(positions, 0, 70, 0, cols, 40);
        positions.insert({3, cols - 1});
        SCOPED_TRACE(cols);
        expect_tiles(positions, 70, cols);
    }
}

// More of them in one place than are sorted at a time, and stretches that are not scattered, in turn.
TEST(TileScanner, FindsTilesWhereDenseAndScatteredStretchesAlternate) {
    constexpr index_t cols = 30'000'000;
    Positions positions;
    Columns columns(2);
    columns.scatter(positions, 0, 64, 0, cols, 100);
    columns.scatter(positions, 16, 48, 1'000'000, 1'010'000, 600);
    columns.scatter(positions, 0, 32, 20'000'000, 20'000'200, 150);
    columns.scatter(positions, 32, 33, 5'000'000, 6'000'000, 9000);
    for (index_t c = 0; c < 20'000; ++c) positions.insert({17, 7'000'000 + c});
    expect_tiles(positions, 64, cols);
}

/// Adds, from a row on, nodes of so many rows with the same columns.
void add_nodes(Positions& positions, index_t first_row, index_t end_row, index_t unknowns, index_t cols, int count) {
    std::mt19937 random(static_cast<unsigned>(unknowns + count));
    std::uniform_int_distribution<index_t> column(0, cols - 1);
    for (index_t row = first_row; row < end_row; row += unknowns) {
        for (int i = 0; i < count; ++i) {
            const index_t c = column(random);
            for (index_t r = row; r < std::min(row + unknowns, end_row); ++r) positions.insert({r, c});
        }
    }
}

// Between scattered tile rows, so that the other way of reading would be next.
TEST(TileScanner, FindsTilesWhereRowsRepeat) {
    for (const index_t cols : {40, 3000, 1 << 24}) {
        for (const index_t unknowns : {2, 3, 5, 6, 16, 40}) {
            for (const int count : {2, 12, 300}) {
                Positions positions;
                Columns(5).scatter(positions, 0, 16, 0, cols, 30);
                add_nodes(positions, 16, 75, unknowns, cols, count);
                Columns(6).scatter(positions, 75, 100, 0, cols, 30);
                positions.insert({38, cols - 1});
                SCOPED_TRACE(::testing::Message() << cols << " columns, " << unknowns << " unknowns, " << count);
                expect_tiles(positions, 100, cols);
            }
        }
    }
}

TEST(TileScanner, FindsTheTilesOfTheBattery) {
    for (const auto& [name, a] : matrix_battery()) {
        SCOPED_TRACE(name);
        expect_tiles(positions_of(a), a.rows, a.cols);
    }
}

void expect_refused(const CsrMatrix<double>& a, index_t row) {
    EXPECT_THAT(test::message_of([&] {
                    for (index_t t = 0; t < div_up(a.rows, kTileSize); ++t) {
                        TileScanner scanner(a, t);
                        while (scanner.next()) continue;
                    }
                }),
                ::testing::HasSubstr("row " + std::to_string(row) + " needs ascending"));
}

// Columns that descend in any row of a tile row, between neighbours and far apart, in stretches read in either way.
TEST(TileScanner, RefusesColumnsThatDoNotAscendAndForgetsThem) {
    constexpr index_t cols = 1 << 28;
    for (const int count : {4, 40}) {
        Positions positions;
        Columns(3).scatter(positions, 0, 64, 0, cols, count);
        for (const index_t row : {17, 24, 31}) {
            const auto a = matrix_of(64, cols, positions);
            const offset_t begin = a.row_ptrs[row];
            const offset_t middle = begin + (a.row_ptrs[row + 1] - begin) / 2;
            for (const offset_t other : {begin, middle - 1}) {
                auto damaged = matrix_of(64, cols, positions);
                std::swap(damaged.col_idxs[middle], damaged.col_idxs[other]);
                expect_refused(damaged, row);
                expect_tiles(positions, 64, cols);
            }
        }
    }
}

TEST(TileScanner, RefusesARowThatRepeatsOneThatDoesNotAscend) {
    Positions positions;
    add_nodes(positions, 0, 32, 4, 1 << 20, 9);
    auto a = matrix_of(32, 1 << 20, positions);
    for (index_t r = 20; r < 24; ++r) std::swap(a.col_idxs[a.row_ptrs[r] + 2], a.col_idxs[a.row_ptrs[r] + 5]);
    expect_refused(a, 20);
    expect_tiles(positions, 32, 1 << 20);
}

TEST(TileScanner, MayBeLeftBeforeTheEnd) {
    constexpr index_t cols = 1 << 22;
    Positions positions;
    Columns(4).scatter(positions, 0, 32, 0, cols, 60);
    const auto a = matrix_of(32, cols, positions);
    for (int taken = 0; taken < 300; taken += 7) {
        TileScanner scanner(a, taken % 2);
        for (int i = 0; i < taken; ++i) scanner.next();
    }
    expect_tiles(positions, 32, cols);
}

}  // namespace
}  // namespace tilespmv::testing
