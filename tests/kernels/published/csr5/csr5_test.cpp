#include "kernels/published/csr5/csr5.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <random>
#include <set>
#include <utility>
#include <vector>

#include "tests/support/battery.hpp"

namespace tilespmv::testing {
namespace {

using cuda::Csr5;
using cuda::kCsr5Lanes;
using cuda::kCsr5Tiles;

template <class Check>
void for_each_form(Check&& check) {
    for (const auto& [name, a] : matrix_battery()) {
        for (const int sigma : {1, 3, 4, 8, 16}) {
            SCOPED_TRACE(name + " sigma " + std::to_string(sigma));
            check(a, cuda::make_csr5(a.row_ptrs, a.col_idxs, sigma));
        }
    }
}

TEST(Csr5, PlacesAreTransposedWithinATile) {
    EXPECT_EQ(cuda::csr5_nonzero(0, 4), 0);
    EXPECT_EQ(cuda::csr5_nonzero(32, 4), 1) << "a lane's second nonzero";
    EXPECT_EQ(cuda::csr5_nonzero(1, 4), 4) << "the second lane's first";
    EXPECT_EQ(cuda::csr5_nonzero(127, 4), 127);
    EXPECT_EQ(cuda::csr5_nonzero(5'000'000'000 * 128 + 65, 4), 5'000'000'000 * 128 + 6);
    for (const int sigma : {1, 3, 4, 8, 16}) {
        std::set<std::int64_t> nonzeros;
        for (std::int64_t place = 0; place < 3 * kCsr5Lanes * sigma; ++place)
            nonzeros.insert(cuda::csr5_nonzero(place, sigma));
        EXPECT_EQ(*nonzeros.rbegin(), 3 * kCsr5Lanes * sigma - 1);
        EXPECT_EQ(std::ssize(nonzeros), 3 * kCsr5Lanes * sigma) << "each at one place";
    }
}

using Lists = std::array<std::vector<std::int64_t>, 8>;  // first_row, back and ended of tiles; bits; columns; rows

Lists lists_of(const Csr5& b) {
    Lists all;
    for (const auto& tile : b.tiles) {
        all[0].push_back(tile.first_row);
        all[1].push_back(tile.back);
        all[2].push_back(tile.ended);
    }
    for (const auto& lane : b.lanes) {
        all[3].push_back(lane.ends());
        all[4].push_back(lane.ends_before());
    }
    all[5].assign(b.cols.begin(), b.cols.end());
    all[6].assign(b.ended_rows.begin(), b.ended_rows.end());
    all[7].assign(b.empty_rows.begin(), b.empty_rows.end());
    return all;
}

/// One nonzero after the other, by the words of the header.
Lists expected_lists(const CsrMatrix<double>& a, int sigma) {
    Lists all;
    std::vector<std::int64_t> row_of;
    for (index_t r = 0; r < a.rows; ++r) {
        row_of.resize(static_cast<std::size_t>(a.row_ptrs[r + 1]), r);
        if (a.row_ptrs[r] == a.row_ptrs[r + 1]) all[7].push_back(r);
    }
    const offset_t size = kCsr5Lanes * sigma;
    for (offset_t first = 0; first < a.nnz(); first += size) {
        std::vector<std::int64_t> ended;
        for (int lane = 0; lane < kCsr5Lanes; ++lane) {
            all[4].push_back(static_cast<std::int64_t>(ended.size()));
            std::int64_t bits = 0;
            for (int j = 0; j < sigma; ++j) {
                const offset_t k = first + lane * sigma + j;
                if (k >= a.nnz() || k + 1 < a.row_ptrs[row_of[k] + 1]) continue;
                bits |= 1 << j;
                ended.push_back(row_of[k]);
            }
            all[3].push_back(bits);
        }
        for (offset_t place = first; place < first + size; ++place) {
            const offset_t k = cuda::csr5_nonzero(place, sigma);
            all[5].push_back(k < a.nnz() ? a.col_idxs[k] : 0);
        }
        const std::int64_t first_row = row_of[first];
        bool consecutive = true;
        for (std::size_t n = 0; n < ended.size(); ++n) {
            consecutive &= ended[n] == first_row + static_cast<std::int64_t>(n);
        }
        all[0].push_back(first_row);
        all[1].push_back(first / size - a.row_ptrs[first_row] / size);
        all[2].push_back(consecutive ? -1 : static_cast<std::int64_t>(all[6].size()));
        if (!consecutive) all[6].insert(all[6].end(), ended.begin(), ended.end());
    }
    return all;
}

TEST(Csr5, IsThatOfTheRule) {
    for_each_form([](const auto& a, const Csr5& b) {
        EXPECT_TRUE(lists_of(b) == expected_lists(a, b.sigma));
        EXPECT_EQ(b.nonzeros, a.nnz());
        const auto values = cuda::in_csr5<double>(b, a.values);
        ASSERT_EQ(values.size(), b.cols.size());
        for (std::size_t place = 0; place < values.size(); ++place) {
            const auto k = cuda::csr5_nonzero(static_cast<std::int64_t>(place), b.sigma);
            ASSERT_EQ(values[place], k < a.nnz() ? a.values[k] : 0) << place;
        }
    });
}

TEST(Csr5, OfRandomRowsIsThatOfTheRule) {
    std::mt19937 random(5);
    for (int i = 0; i < 500; ++i) {
        std::set<std::pair<index_t, index_t>> positions;
        const auto rows = static_cast<index_t>(random() % 60 + 1);
        const unsigned filled = random() % 4;  // fourths of the rows, about
        for (index_t r = 0; r < rows; ++r) {
            if (random() % 4 > filled) continue;
            const auto length = static_cast<index_t>(random() % (i % 2 == 0 ? 4 : 40));
            for (index_t c = 0; c < length; ++c) positions.insert({r, 2 * c});
        }
        const auto a = matrix_of(rows, 80, positions);
        for (const int sigma : {1, 2, 16}) {
            EXPECT_TRUE(lists_of(cuda::make_csr5(a.row_ptrs, a.col_idxs, sigma)) == expected_lists(a, sigma))
                << "matrix " << i << ", sigma " << sigma;
        }
    }
}

/// What a block has of a row that ends in a later one.
struct OpenRow {
    offset_t sum = 0;
    bool taken = false;
};

/// The kernel's way from lanes to rows, with 1 for every product: a row's sum must be its length. What a block leaves
/// must be taken once.
class Walk {
public:
    Walk(const Csr5& b, index_t rows) : b_(b), sums_(static_cast<std::size_t>(rows), 0) {
        const auto tiles = static_cast<std::int64_t>(b.tiles.size());
        left_.resize(static_cast<std::size_t>(div_up(tiles, kCsr5Tiles)));
        for (std::int64_t t = 0; t < tiles; ++t) add_tile(t);
    }

    [[nodiscard]] const std::vector<offset_t>& sums() const { return sums_; }
    [[nodiscard]] bool all_taken() const {
        return std::ranges::all_of(left_, [](const OpenRow& row) { return row.sum == 0 || row.taken; });
    }

private:
    void add_tile(std::int64_t t) {
        const auto& tile = b_.tiles[static_cast<std::size_t>(t)];
        const int warp = static_cast<int>(t % kCsr5Tiles);
        offset_t before = 0;
        for (int i = warp - tile.back_in_block(warp); i < warp; ++i) before += open_[i];
        offset_t open = 0;
        bool has_end = false;
        for (int lane = 0; lane < kCsr5Lanes; ++lane) {
            const auto own = b_.lanes[static_cast<std::size_t>(t * kCsr5Lanes + lane)];
            int n = own.ends_before();
            for (int j = 0; j < b_.sigma; ++j) {
                if ((t * kCsr5Lanes + lane) * b_.sigma + j < b_.nonzeros) ++open;
                if ((own.ends() >> j & 1u) == 0) continue;
                if (!has_end) open += before + take(t);
                sums_[static_cast<std::size_t>(tile.row(b_.ended_rows.data(), n++))] += open;
                open = 0;
                has_end = true;
            }
        }
        open_[warp] = open;
        const bool is_last = t + 1 == static_cast<std::int64_t>(b_.tiles.size());
        if (warp == kCsr5Tiles - 1 && !is_last) left_[block_of(t)].sum = has_end ? open : before + open;
    }

    offset_t take(std::int64_t t) {
        offset_t sum = 0;
        for (std::int64_t i = b_.tiles[static_cast<std::size_t>(t)].blocks_back(t); i > 0; --i) {
            OpenRow& row = left_[block_of(t) - static_cast<std::size_t>(i)];
            EXPECT_FALSE(row.taken);
            row.taken = true;
            sum += row.sum;
        }
        return sum;
    }

    static std::size_t block_of(std::int64_t t) { return static_cast<std::size_t>(t / kCsr5Tiles); }

    const Csr5& b_;
    std::vector<offset_t> sums_;
    std::array<offset_t, kCsr5Tiles> open_{};
    std::vector<OpenRow> left_;
};

TEST(Csr5, RowsThatAreCutGetAllTheirParts) {
    for_each_form([](const auto& a, const Csr5& b) {
        const Walk walk(b, a.rows);
        for (index_t r = 0; r < a.rows; ++r) {
            ASSERT_EQ(walk.sums()[static_cast<std::size_t>(r)], a.row_ptrs[r + 1] - a.row_ptrs[r]) << "row " << r;
        }
        EXPECT_TRUE(walk.all_taken());
    });
}

TEST(Csr5, BytesAreThoseOfItsArrays) {
    const auto b = cuda::make_csr5(std::vector<offset_t>{0, 0, 2, 2, 3}, std::vector<index_t>{0, 1, 0}, 4);
    EXPECT_EQ(b.bytes(sizeof(double)), 16 + 32 * 4 + 128 * (4 + 8) + 2 * 4 + 2 * 4);
}

}  // namespace
}  // namespace tilespmv::testing
