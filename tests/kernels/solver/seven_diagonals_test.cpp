#include "kernels/solver/seven_diagonals.hpp"

#include <gtest/gtest.h>

namespace tilespmv::solver {
namespace {

TEST(SevenDiagonals, AreAMatrixOfAnySize) {
    for (const index_t n : {1, 2, 3, 4, 5, 9, 27, 100, 5003}) {
        const auto a = seven_diagonals<double>(n);
        EXPECT_EQ(a.rows, n);
        EXPECT_NO_THROW(validate(a)) << n;
    }
    const auto a = seven_diagonals<float>(1'000'003);
    validate(a);
    EXPECT_GT(a.nnz(), 6.9 * a.rows);
    const auto row = static_cast<std::size_t>(a.row_ptrs[500'000]);
    for (const std::size_t k : {0U, 1U, 2U}) {
        EXPECT_EQ(a.col_idxs[row + 3] - a.col_idxs[row + k], a.col_idxs[row + 6 - k] - a.col_idxs[row + 3]);
    }
    EXPECT_EQ(a.col_idxs[row], 500'000 - 100 * 100);
}

}  // namespace
}  // namespace tilespmv::solver
