#include <map>
#include <random>
#include <vector>

#include <gtest/gtest.h>

#include "tile/mask_window.hpp"
#include "tile/sorted_window.hpp"

// What a window of the scanner takes and what it leaves, at its very ends: the scanner itself begins a window wherever
// its matrix happens to have a column.
namespace tilespmv::testing {
namespace {

using detail::MaskWindow;
using detail::SortedWindow;

constexpr std::uint32_t kMaskCols = 65'536;
constexpr std::size_t kSortedRoom = 4096;
constexpr int kNarrowest = 16;
constexpr int kWidest = 24;

/// Tiles in the order in which they were taken, each by its number and its row masks.
using ScannedTiles = std::vector<std::pair<std::uint32_t, std::array<std::uint16_t, kTileSize>>>;

template <class Window>
ScannedTiles take_all(Window& window) {
    ScannedTiles tiles;
    TilePattern pattern;
    for (std::uint32_t tile = 0; window.take(pattern, tile);) {
        TilePattern counted = pattern;
        counted.count();
        EXPECT_EQ(pattern.nnz, counted.nnz);
        EXPECT_EQ(pattern.row_counts, counted.row_counts);
        EXPECT_EQ(pattern.longest_row, counted.longest_row);
        tiles.emplace_back(tile, pattern.row_masks);
    }
    return tiles;
}

/// What these columns of row `r` are in a window that begins at `start`.
ScannedTiles tiles_of(int r, std::uint32_t start, const std::vector<index_t>& cols) {
    std::map<std::uint32_t, std::array<std::uint16_t, kTileSize>> tiles;
    for (const index_t col : cols) {
        const auto w = static_cast<std::uint32_t>(col) - start;
        auto& mask = tiles[w / kTileSize][static_cast<std::size_t>(r)];
        mask = static_cast<std::uint16_t>(mask | 1u << w % kTileSize);
    }
    return {tiles.begin(), tiles.end()};
}

/// How many of the columns of a row the window takes; -1 if it has no room.
template <class Window>
std::ptrdiff_t read(Window& window, int r, const std::vector<index_t>& cols, std::uint32_t start) {
    std::uint32_t last = ~0u;
    std::uint32_t ascending = ~0u;
    const index_t* const end = window.read_row(r, cols.data(), cols.data() + cols.size(), start, last, ascending);
    EXPECT_EQ(ascending >> 31, 1u);
    if (end == nullptr) return -1;
    if (end > cols.data()) {
        EXPECT_EQ(last, static_cast<std::uint32_t>(end[-1]));
    }
    return end - cols.data();
}

TEST(MaskWindow, EndsBehindColumn65535) {
    MaskWindow window;
    for (const index_t start : {0, 16, 1 << 20, std::numeric_limits<index_t>::max() / 16 * 16 - 2 * 65'536}) {
        const auto at = static_cast<std::uint32_t>(start);
        const auto width = static_cast<index_t>(kMaskCols);
        const std::vector<index_t> inside{start, start + 15, start + 16, start + 1024, start + width - 1};
        std::vector<index_t> beyond = inside;
        beyond.push_back(start + width);
        for (const int r : {0, 7, 8, 15}) {
            for (const auto& cols : {inside, beyond}) {
                window.restart();
                EXPECT_EQ(read(window, r, cols, at), std::ssize(inside)) << start;
                EXPECT_EQ(take_all(window), tiles_of(r, at, inside)) << start;
            }
        }
    }
}

TEST(MaskWindow, RowsThatRepeatOthersHaveTheirMasksUntilAllAreRead) {
    MaskWindow window;
    const std::vector<index_t> cols{3, 70};
    for (const int like : {0, 6, 7}) {
        for (const int r : {7, 8, 15}) {
            if (r == like) continue;
            window.repeat_row(r, like);
            EXPECT_TRUE(window.repeats());
            window.restart();
            read(window, like, cols, 0);
            auto expected = tiles_of(like, 0, cols);
            for (auto& [tile, masks] : expected)
                masks.at(static_cast<std::size_t>(r)) = masks.at(static_cast<std::size_t>(like));
            EXPECT_EQ(take_all(window), expected) << r << " like " << like;
            window.read_all_rows();
            EXPECT_FALSE(window.repeats());
            window.restart();
            read(window, like, cols, 0);
            EXPECT_EQ(take_all(window), tiles_of(like, 0, cols));
        }
    }
}

// From the narrowest to the widest and back, with one step more than there are.
TEST(SortedWindow, EndsBehindTheLastColumnOfItsWidth) {
    SortedWindow window;
    const auto expect_width = [&](int log2) {
        constexpr index_t start = 1 << 28;
        const index_t width = index_t{1} << log2;
        const std::vector<index_t> inside{start, start + 17, start + width / 2 - 1, start + width / 2,
                                          start + width - 1};
        std::vector<index_t> beyond = inside;
        beyond.push_back(start + width);
        for (const auto& cols : {inside, beyond}) {
            window.restart();
            EXPECT_EQ(read(window, 9, cols, start), std::ssize(inside)) << "2^" << log2;
            window.sort();
            EXPECT_EQ(take_all(window), tiles_of(9, start, inside)) << "2^" << log2;
        }
    };
    window.narrow();
    for (int log2 = kNarrowest; log2 <= kWidest; ++log2, window.widen()) expect_width(log2);
    expect_width(kWidest);
    for (int log2 = kWidest; log2 >= kNarrowest; --log2, window.narrow()) expect_width(log2);
    expect_width(kNarrowest);
}

TEST(SortedWindow, HasRoomFor4096Nonzeros) {
    std::vector<index_t> cols(kSortedRoom);
    for (std::size_t i = 0; i < cols.size(); ++i) cols[i] = static_cast<index_t>(16 * i);
    SortedWindow window;
    window.restart();
    EXPECT_EQ(read(window, 0, cols, 0), std::ssize(cols));
    window.sort();
    EXPECT_EQ(take_all(window), tiles_of(0, 0, cols));
    window.restart();
    EXPECT_EQ(read(window, 0, {cols.begin(), cols.end() - 1}, 0), std::ssize(cols) - 1);
    EXPECT_EQ(read(window, 1, {4}, 0), 1) << "the last place";
    EXPECT_EQ(read(window, 2, {4}, 0), -1);
    window.restart();
    cols.push_back(65'535);
    EXPECT_EQ(read(window, 0, cols, 0), -1);
}

/// The nonzeros of 16 rows, `count` in all, in the first and the last of 2^log2 columns and at random between.
std::array<std::vector<index_t>, kTileSize> random_rows(int log2, std::size_t count) {
    std::mt19937 random(static_cast<unsigned>(log2) * 10'000 + static_cast<unsigned>(count));
    std::array<std::set<index_t>, kTileSize> rows;
    rows[3] = {0};
    rows[11] = {(index_t{1} << log2) - 1};
    for (std::size_t n = 2; n < count;)
        n += rows[random() % kTileSize].insert(static_cast<index_t>(random() >> (32 - log2))).second;
    std::array<std::vector<index_t>, kTileSize> lists;
    std::ranges::transform(rows, lists.begin(), [](const auto& row) { return std::vector(row.begin(), row.end()); });
    return lists;
}

TEST(SortedWindow, SortsFewAndManyNonzerosOfEveryWidth) {
    SortedWindow window;
    for (int log2 = kNarrowest; log2 <= kWidest; ++log2, window.widen()) {
        for (const std::size_t count :
             {std::size_t{2}, std::size_t{63}, std::size_t{64}, std::size_t{65}, kSortedRoom}) {
            std::map<std::uint32_t, std::array<std::uint16_t, kTileSize>> expected;
            const auto rows = random_rows(log2, count);
            window.restart();
            for (int r = 0; r < kTileSize; ++r) {
                const auto& cols = rows.at(static_cast<std::size_t>(r));
                if (cols.empty()) continue;
                EXPECT_EQ(read(window, r, cols, 0), std::ssize(cols));
                for (const auto& [tile, masks] : tiles_of(r, 0, cols)) {
                    expected[tile].at(static_cast<std::size_t>(r)) = masks.at(static_cast<std::size_t>(r));
                }
            }
            window.sort();
            EXPECT_EQ(take_all(window), ScannedTiles(expected.begin(), expected.end()))
                << "2^" << log2 << ", " << count;
        }
    }
}

}  // namespace
}  // namespace tilespmv::testing
