#include "tile/shifted_rows.hpp"

#include <random>
#include <vector>

#include <gtest/gtest.h>

#include "tile/csr.hpp"
#include "tile/generate/generate.hpp"

namespace tilespmv {
namespace {

std::vector<offset_t> diagonals_of(const CsrMatrix<double>& a, std::int64_t row) {
    std::vector<offset_t> diagonals;
    for (offset_t k = a.row_ptrs[row]; k < a.row_ptrs[row + 1]; ++k) diagonals.push_back(a.col_idxs[k] - row);
    return diagonals;
}

/// Row by row.
std::int64_t expected(const CsrMatrix<double>& a, std::int64_t row, std::int64_t end) {
    std::int64_t next = row + 1;
    while (next < end && diagonals_of(a, next) == diagonals_of(a, row)) ++next;
    return next - row - 1;
}

std::int64_t found(const CsrMatrix<double>& a, std::int64_t row, std::int64_t end) {
    return shifted_rows(a.row_ptrs.data(), a.col_idxs.data(), row, end);
}

class ShiftedRows : public ::testing::TestWithParam<const char*> {};

TEST_P(ShiftedRows, AreThoseOnTheSameDiagonals) {
    const auto a = generate<double>(GetParam());
    for (std::int64_t row = 0; row < a.rows; ++row) {
        for (const std::int64_t end : {row + 1, row + 2, row + 40, std::int64_t{a.rows}}) {
            const std::int64_t within = std::min(end, std::int64_t{a.rows});
            ASSERT_EQ(found(a, row, within), expected(a, row, within)) << row << ' ' << within;
        }
    }
}

INSTANTIATE_TEST_SUITE_P(Patterns, ShiftedRows,
                         ::testing::Values("laplace2d:n=37", "laplace3d:n=9", "banded:n=300,half=5",
                                           "banded:n=200,half=0", "uniform:n=300,per_row=4", "uniform:n=300,per_row=1",
                                           "dense:rows=40,cols=50", "fem:n=5,dof=3"));

/// One column that is elsewhere ends the rows that are alike, wherever it lies.
TEST(ShiftedRows, EndWithTheRowOfAColumnElsewhere) {
    for (const index_t length : {1, 3, 16, 40}) {
        constexpr index_t kRows = 100;
        CsrMatrix<double> a;
        a.rows = kRows;
        a.cols = 10 * kRows;
        a.row_ptrs = Buffer<offset_t>(kRows + 1);
        a.col_idxs = Buffer<index_t>(static_cast<std::size_t>(kRows * length));
        for (index_t r = 0; r <= kRows; ++r) a.row_ptrs[r] = offset_t{r} * length;
        for (index_t r = 0; r < kRows; ++r) {
            for (index_t k = 0; k < length; ++k) a.col_idxs[r * length + k] = r + 5 * k;
        }
        EXPECT_EQ(found(a, 0, kRows), kRows - 1);
        for (index_t r = 1; r < kRows; ++r) {
            for (const index_t k : {index_t{0}, length / 2, length - 1}) {
                ++a.col_idxs[r * length + k];
                EXPECT_EQ(found(a, 0, kRows), r - 1) << length << ' ' << k;
                --a.col_idxs[r * length + k];
            }
        }
    }
}

TEST(ShiftedRows, AreComparedWithAnyRowBefore) {
    const auto a = generate<double>("fem:n=5,dof=3");
    int shifted = 0;
    for (std::int64_t row = 0; row < a.rows; ++row) {
        for (index_t by = 1; by <= std::min<std::int64_t>(row, 7); ++by) {
            const bool is = is_shifted(a.row_ptrs.data(), a.col_idxs.data(), row, by);
            ASSERT_EQ(is, diagonals_of(a, row) == diagonals_of(a, row - by)) << row << ' ' << by;
            shifted += is ? 1 : 0;
        }
    }
    EXPECT_GT(shifted, 0);
}

TEST(ShiftedRows, EmptyOnesAreAlike) {
    const std::vector<offset_t> row_ptrs(71, 0);
    EXPECT_EQ(shifted_rows(row_ptrs.data(), nullptr, 3, 70), 66);
}

}  // namespace
}  // namespace tilespmv
