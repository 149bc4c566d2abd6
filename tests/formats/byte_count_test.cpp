#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <utility>
#include <vector>

#include "formats/list.hpp"
#include "tests/support/battery.hpp"

// The closed formulas of the formats, written out from the description of each and independently of the code.
namespace tilespmv::testing {
namespace {

using namespace formats;

constexpr int kValueBytes = 8;

int half_up(int n) { return n / 2 + n % 2; }

int longest(const TilePattern& p) { return *std::max_element(p.row_counts.begin(), p.row_counts.end()); }

int hyb_bytes(const TilePattern& p, int width) {
    int rest = 0;
    for (int r = 0; r < p.rows; ++r) rest += std::max(0, p.row_counts[r] - width);
    const int places = p.rows * width;
    const int masks = p.nnz - rest < places ? 2 * width : 0;
    return kValueBytes * (places + rest) + half_up(places) + masks + rest;
}

TEST(ByteCounts, FollowTheClosedFormulas) {
    for (const auto& [name, p] : tile_battery()) {
        SCOPED_TRACE(name);
        const int area = p.rows * p.cols;
        const int places = p.rows * longest(p);
        EXPECT_EQ(Dense::size(p, 8)->bytes(8), 8 * area + (p.nnz < area ? 2 * p.cols : 0));
        EXPECT_EQ(Coo::size(p, 8)->bytes(8), 9 * p.nnz);
        EXPECT_EQ(Csr::size(p, 8)->bytes(8), 8 * p.nnz + p.rows + half_up(p.nnz));
        EXPECT_EQ(Ell::size(p, 8)->bytes(8), 8 * places + half_up(places) + (p.nnz < places ? 2 * longest(p) : 0));
        int best = hyb_bytes(p, 1);
        for (int width = 2; width <= longest(p); ++width) best = std::min(best, hyb_bytes(p, width));
        EXPECT_EQ(Hyb::size(p, 8)->bytes(8), best);
        if (const auto size = DenseRow::size(p, 8)) {
            EXPECT_EQ(size->bytes(8), 8 * p.nnz + half_up(p.nnz / p.cols));
        }
        if (const auto size = DenseCol::size(p, 8)) {
            EXPECT_EQ(size->bytes(8), 8 * p.nnz + half_up(p.nnz / p.rows));
        }
    }
}

template <Format F>
int index_bytes_without_masks(const TilePattern& p) {
    const TileSize size = *F::size(p, kValueBytes);
    const TileEntry entry(0, 0, p.nnz, size.values, size.index_bytes, size.parameter);
    return size.index_bytes - mask_bytes<F>(p.rows, p.cols, entry);
}

TEST(ByteCounts, WithoutMasksAreThoseOfThePublishedFormats) {
    for (const auto& [name, p] : tile_battery()) {
        SCOPED_TRACE(name);
        EXPECT_EQ(index_bytes_without_masks<Dense>(p), 0);
        EXPECT_EQ(index_bytes_without_masks<Coo>(p), p.nnz);
        EXPECT_EQ(index_bytes_without_masks<Csr>(p), p.rows + half_up(p.nnz));
        EXPECT_EQ(index_bytes_without_masks<Ell>(p), half_up(p.rows * longest(p)));
        const int width = Hyb::size(p, kValueBytes)->parameter;
        int rest = 0;
        for (int r = 0; r < p.rows; ++r) rest += std::max(0, p.row_counts[r] - width);
        EXPECT_EQ(index_bytes_without_masks<Hyb>(p), half_up(p.rows * width) + rest);
        if (DenseRow::size(p, 8)) {
            EXPECT_EQ(index_bytes_without_masks<DenseRow>(p), half_up(p.nnz / p.cols));
        }
        if (DenseCol::size(p, 8)) {
            EXPECT_EQ(index_bytes_without_masks<DenseCol>(p), half_up(p.nnz / p.rows));
        }
    }
}

TEST(ByteCounts, DenseRowsAndColumnsAreTakenExactlyWhereTheyFit) {
    for (const auto& [name, p] : tile_battery()) {
        bool rows = true;
        bool cols = true;
        for (int r = 0; r < p.rows; ++r) {
            for (int c = 0; c < p.cols; ++c) {
                const bool here = p.row_masks[r] >> c & 1;
                rows = rows && here == static_cast<bool>(p.row_masks[r] & 1);
                cols = cols && here == static_cast<bool>(p.row_masks[0] >> c & 1);
            }
        }
        EXPECT_EQ(DenseRow::size(p, 8).has_value(), rows) << name;
        EXPECT_EQ(DenseCol::size(p, 8).has_value(), cols) << name;
    }
}

TEST(ByteCounts, CooMarksFourNonzerosAndMoreOnOnePieceOfADiagonal) {
    int marked = 0;
    for (const auto& [name, p] : tile_battery()) {
        std::vector<std::pair<int, int>> at;
        for (int r = 0; r < p.rows; ++r) for_each_bit(p.row_masks[r], [&](int c) { at.emplace_back(r, c); });
        bool diagonal = at.size() >= 4;
        for (std::size_t k = 1; k < at.size(); ++k) {
            diagonal = diagonal && at[k] == std::pair(at[k - 1].first + 1, at[k - 1].second + 1);
        }
        EXPECT_EQ(Coo::size(p, 8)->parameter, diagonal ? 1 : 0) << name;
        marked += diagonal;
    }
    EXPECT_GT(marked, 0);
}

TEST(ByteCounts, CooMarksAndPacksEveryPieceOfADiagonal) {
    for (int row = 0; row < kTileSize; ++row) {
        for (int col = 0; col < kTileSize; ++col) {
            for (int n = 1; std::max(row, col) + n <= kTileSize; ++n) {
                SCOPED_TRACE(::testing::Message() << n << " from " << row << ", " << col);
                const auto p = tile_of(kTileSize, kTileSize,
                                       [&](int r, int c) { return r - row == c - col && r >= row && r < row + n; });
                const auto size = *Coo::size(p, 8);
                EXPECT_EQ(size.parameter, n >= 4 ? 1 : 0);
                std::vector<double> in(static_cast<std::size_t>(n));
                std::iota(in.begin(), in.end(), 1.0);
                std::vector<double> values(in.size());
                std::vector<std::uint8_t> index(in.size());
                Coo::pack(p, size, in.data(), values.data(), index.data());
                EXPECT_EQ(values, in);
                for (int k = 0; k < n; ++k) EXPECT_EQ(index[static_cast<std::size_t>(k)], (row + k) << 4 | (col + k));
            }
        }
    }
}

TEST(ByteCounts, OthersHoldEveryTile) {
    for (const auto& [name, p] : tile_battery()) {
        EXPECT_TRUE(Dense::size(p, 8) && Coo::size(p, 8) && Csr::size(p, 8) && Ell::size(p, 8) && Hyb::size(p, 8));
    }
}

}  // namespace
}  // namespace tilespmv::testing
