#include "kernels/operators/hyb/hyb.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

#include "kernels/registry.hpp"
#include "tests/support/battery.hpp"

namespace tilespmv::testing {
namespace {

std::vector<offset_t> lengths_of(const CsrMatrix<double>& a) {
    std::vector<offset_t> lengths;
    for (index_t r = 0; r < a.rows; ++r) lengths.push_back(a.row_ptrs[r + 1] - a.row_ptrs[r]);
    return lengths;
}

/// By the definition, width by width.
offset_t expected_width(const CsrMatrix<double>& a) {
    const auto lengths = lengths_of(a);
    offset_t width = 0;
    for (offset_t w = 1; a.rows > 0 && w <= a.cols; ++w) {
        if (3 * std::ranges::count_if(lengths, [&](offset_t length) { return length >= w; }) >= a.rows) width = w;
    }
    return width;
}

CsrMatrix<double> of_lengths(const std::vector<index_t>& lengths) {
    std::set<std::pair<index_t, index_t>> positions;
    for (std::size_t r = 0; r < lengths.size(); ++r) {
        for (index_t c = 0; c < lengths[r]; ++c) positions.emplace(static_cast<index_t>(r), 2 * c);
    }
    return matrix_of(static_cast<index_t>(lengths.size()), 20, positions);
}

TEST(Hyb, IsAsWideAsAThirdOfTheRows) {
    const auto width = [](const std::vector<index_t>& lengths) { return hyb_width(of_lengths(lengths).row_ptrs); };
    EXPECT_EQ(width({}), 0);
    EXPECT_EQ(width({4}), 4);
    EXPECT_EQ(width({1, 5}), 5) << "a half";
    EXPECT_EQ(width({1, 2, 5}), 5) << "a third";
    EXPECT_EQ(width({1, 2, 3, 5}), 3) << "a quarter is too few";
    EXPECT_EQ(width({0, 0, 0, 0, 0, 7}), 0);
    for (const auto& [name, a] : matrix_battery()) {
        if (a.cols > 2000) continue;
        EXPECT_EQ(hyb_width(a.row_ptrs), expected_width(a)) << name;
    }
}

TEST(Hyb, HasTheFirstNonzerosInEllAndTheOthersInCoo) {
    auto a = of_lengths({1, 0, 4, 2, 2, 3, 0});
    std::iota(a.values.begin(), a.values.end(), 1);
    const auto hyb = make_hyb(a);
    EXPECT_EQ(hyb.ell.width, 2);
    EXPECT_EQ(hyb.ell.columns, (Buffer<index_t>{0, -1, 0, 0, 0, 0, -1, -1, -1, 2, 2, 2, 2, -1}));
    EXPECT_EQ(hyb.ell.values, (Buffer<double>{1, 0, 2, 6, 8, 10, 0, 0, 0, 3, 7, 9, 11, 0}));
    EXPECT_EQ(hyb.coo.row_idxs, (Buffer<index_t>{2, 2, 5}));
    EXPECT_EQ(hyb.coo.col_idxs, (Buffer<index_t>{4, 6, 4}));
    EXPECT_EQ(hyb.coo.values, (Buffer<double>{4, 5, 12}));
    EXPECT_EQ(hyb.split, (Buffer<std::uint32_t>{0b100100}));
    EXPECT_EQ(hyb.coo_tile_rows(), 1);
}

TEST(Hyb, KnowsTheRowsThatAreSplit) {
    for (const auto& [name, a] : matrix_battery()) {
        SCOPED_TRACE(name);
        const auto hyb = make_hyb(a);
        std::set<index_t> tile_rows;
        const std::set<index_t> rows(hyb.coo.row_idxs.begin(), hyb.coo.row_idxs.end());
        for (const index_t r : rows) tile_rows.insert(r / kTileSize);
        ASSERT_EQ(hyb.split.size(), static_cast<std::size_t>(div_up(a.rows, 32)));
        for (index_t r = 0; r < div_up(a.rows, 32) * 32; ++r) {
            ASSERT_EQ(hyb.split[r / 32] >> r % 32 & 1U, rows.count(r)) << "row " << r;
        }
        EXPECT_EQ(hyb.coo_tile_rows(), static_cast<offset_t>(tile_rows.size()));
    }
}

TEST(Hyb, TakesAtMostFourTimesTheBytesOfCsr) {
    for (const auto& [name, a] : matrix_battery()) {
        SCOPED_TRACE(name);
        const auto hyb = make_hyb(a);
        const auto places = static_cast<std::uint64_t>(hyb.ell.width) * static_cast<std::uint64_t>(a.rows);
        EXPECT_LE(places, 3 * static_cast<std::uint64_t>(a.nnz() - hyb.coo.nnz()));
        const auto op = make_operator<double>("hyb-omp", a);
        EXPECT_EQ(op->matrix_bytes(), places * 12 + static_cast<std::uint64_t>(hyb.coo.nnz()) * 16 + hyb.split.bytes());
        EXPECT_LE(op->matrix_bytes(), 4 * (a.row_ptrs.bytes() + a.col_idxs.bytes() + a.values.bytes()));
    }
}

TEST(Hyb, ExecutesEllAndCoo) {
    const auto a = of_lengths({1, 0, 4, 2, 2, 3, 0});
    const auto op = make_operator<double>("hyb-omp", a);
    // 14 places, 3 nonzeros, and 4 bytes of bits by nonzeros: 9 and 3 of 12.
    EXPECT_EQ(op->executed(),
              (std::vector<ExecutedPart>{{"ell", "", 1, 9, 14 * 12 + 3}, {"coo", "", 1, 3, 3 * 16 + 1}}));
}

}  // namespace
}  // namespace tilespmv::testing
