#include <gtest/gtest.h>

#include <random>

#include "formats/list.hpp"

// The loop that checks the tiles of archives has shortcuts for coo; whatever is damaged, it must stop where a loop
// without them does.
namespace tilespmv::formats {
namespace {

constexpr int kId = id_of<Coo>;

struct TileRow {
    int rows = kTileSize;
    index_t cols = 0;
    std::vector<TileEntry> tiles;
    std::vector<std::uint8_t> index;
    offset_t values = 0;

    [[nodiscard]] UncheckedTiles unchecked() const {
        return {.rows = rows,
                .cols = cols,
                .tile = tiles.data(),
                .end = tiles.data() + tiles.size(),
                .values = values,
                .index = index.data(),
                .index_end = index.data() + index.size()};
    }
};

/// Tiles of one nonzero in runs, and others of up to 12.
TileRow random_tile_row(std::mt19937& random) {
    TileRow row;
    index_t column = -1;
    for (int t = 0; t < 30; ++t) {
        column += 1 + static_cast<index_t>(random() % 3);
        const int nnz = t % 10 < 6 ? 1 : 1 + static_cast<int>(random() % 12);
        int place = static_cast<int>(random() % 100);
        for (int k = 0; k < nnz; ++k, place += 1 + static_cast<int>(random() % 12)) {
            row.index.push_back(static_cast<std::uint8_t>(place));
        }
        row.tiles.emplace_back(column, kId, nnz, nnz, nnz, 0);
        row.values += nnz;
    }
    row.cols = column * kTileSize + 1 + static_cast<index_t>(random() % 40);
    return row;
}

std::size_t valid_tiles_one_by_one(const TileRow& row) {
    index_t before = -1;
    offset_t values = row.values;
    const std::uint8_t* index = row.index.data();
    const std::uint8_t* const index_end = index + row.index.size();
    for (std::size_t t = 0; t < row.tiles.size(); ++t) {
        const TileEntry e = row.tiles[t];
        const auto cols = row.cols - offset_t{e.column()} * kTileSize;
        if (e.format() != kId || e.column() <= before || cols <= 0 || e.values() > values ||
            e.index_bytes() > index_end - index ||
            !is_valid<Coo>(row.rows, static_cast<int>(std::min<offset_t>(cols, kTileSize)), e, index)) {
            return t;
        }
        before = e.column();
        values -= e.values();
        index += e.index_bytes();
    }
    return row.tiles.size();
}

void expect_same_end(const TileRow& row) {
    const auto valid = valid_tiles_one_by_one(row);
    UncheckedTiles t = row.unchecked();
    pass_valid<Coo>(t, kId);
    ASSERT_EQ(t.tile - row.tiles.data(), static_cast<std::ptrdiff_t>(valid));
    offset_t nnz = 0;
    for (std::size_t i = 0; i < valid; ++i) nnz += row.tiles[i].nnz();
    EXPECT_EQ(t.nnz, nnz);
    EXPECT_EQ(t.values, row.values - nnz);
    EXPECT_EQ(t.index, row.index.data() + nnz);
    EXPECT_EQ(t.column, valid == 0 ? -1 : row.tiles[valid - 1].column());
}

TEST(PassValid, StopsAtTheFirstDamagedCooTile) {
    std::mt19937 random(1);
    for (int i = 0; i < 2000; ++i) {
        TileRow row = random_tile_row(random);
        SCOPED_TRACE(i);
        expect_same_end(row);
        const std::size_t t = random() % row.tiles.size();
        const TileEntry e = row.tiles[t];
        switch (i % 8) {
            case 0:
                row.tiles[t] = TileEntry(e.column(), kId + 1, e.nnz(), e.nnz(), e.nnz(), 0);
                break;
            case 1:
                row.tiles[t] = TileEntry(row.tiles[t / 2].column(), kId, e.nnz(), e.nnz(), e.nnz(), 0);
                break;
            case 2:
                row.tiles[t] = TileEntry(e.column(), kId, e.nnz() % 8 + 1, e.nnz(), e.nnz(), 0);
                break;
            case 3:
                row.tiles[t] = TileEntry(e.column(), kId, e.nnz(), e.nnz() + 1, e.nnz(), 0);
                break;
            case 4:
                row.tiles[t] = TileEntry(e.column(), kId, e.nnz(), e.nnz(), e.nnz() + 1, 0);
                break;
            case 5:
                row.tiles[t] = TileEntry(e.column(), kId, e.nnz(), e.nnz(), e.nnz(), 1);
                break;
            case 6:
                row.index[random() % row.index.size()] = static_cast<std::uint8_t>(random());
                break;
            default:
                row.values -= static_cast<offset_t>(random() % 9);
                row.rows = 12;
                break;
        }
        expect_same_end(row);
    }
}

TEST(PassValid, AcceptsNoColumnBehindTheEdge) {
    TileRow row;
    row.cols = 3 * kTileSize;
    for (const index_t column : {0, 1, 2, 3, 4, 5, 6, 7}) {
        row.tiles.emplace_back(column, kId, 1, 1, 1, 0);
        row.index.push_back(0);
    }
    row.index.resize(64);
    row.values = 64;
    UncheckedTiles t = row.unchecked();
    pass_valid<Coo>(t, kId);
    EXPECT_EQ(t.tile - row.tiles.data(), 3);
}

}  // namespace
}  // namespace tilespmv::formats
