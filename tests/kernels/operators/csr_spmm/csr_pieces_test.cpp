#include "kernels/operators/csr_spmm/csr_pieces.hpp"

#include <vector>

#include <gtest/gtest.h>

namespace tilespmv::testing {
namespace {

TEST(CsrPieces, CutLongRowsIntoEvenParts) {
    const std::vector<offset_t> row_ptrs{0, 3, 3, 16, 20};
    const auto cut = cuda::csr_pieces(row_ptrs, 4);
    struct Expected {
        offset_t first;
        int nonzeros;
        int target;
    };
    const std::vector<Expected> expected{{0, 3, 0},  {3, 0, 1},   {3, 3, -1}, {6, 3, -2},
                                         {9, 3, -3}, {12, 4, -4}, {16, 4, 3}};
    ASSERT_EQ(cut.pieces.size(), expected.size());
    for (std::size_t i = 0; i < expected.size(); ++i) {
        EXPECT_EQ(cut.pieces[i].first, expected[i].first) << i;
        EXPECT_EQ(cut.pieces[i].nonzeros, expected[i].nonzeros) << i;
        EXPECT_EQ(cut.pieces[i].target, expected[i].target) << i;
    }
    ASSERT_EQ(cut.parts.size(), 4u);
    for (const auto& part : cut.parts) {
        EXPECT_EQ(part.first, 0u);
        EXPECT_EQ(part.count, 4u);
        EXPECT_EQ(part.row, 2u);
    }
}

TEST(CsrPieces, HaveEveryNonzeroOnceAndDifferByOneAtMost) {
    for (offset_t length = 1; length < 40; ++length) {
        const auto cut = cuda::csr_pieces(std::vector<offset_t>{0, length}, 4);
        const auto least = static_cast<int>(length / static_cast<offset_t>(cut.pieces.size()));
        offset_t next = 0;
        for (const auto& piece : cut.pieces) {
            EXPECT_EQ(piece.first, next) << length;
            EXPECT_TRUE(piece.nonzeros == least || piece.nonzeros == least + 1) << length;
            next += piece.nonzeros;
        }
        EXPECT_EQ(next, length);
    }
}

TEST(CsrPieces, OfAMatrixWithoutRowsAreNone) {
    EXPECT_TRUE(cuda::csr_pieces(std::vector<offset_t>{0}, 128).pieces.empty());
    EXPECT_TRUE(cuda::csr_pieces(std::vector<offset_t>{0}, 128).parts.empty());
}

/// Row pointers of rows that are equally long.
std::vector<offset_t> even_rows(offset_t rows, offset_t length) {
    std::vector<offset_t> row_ptrs;
    for (offset_t row = 0; row <= rows; ++row) row_ptrs.push_back(row * length);
    return row_ptrs;
}

TEST(CsrPieces, SuitMatricesWhosePiecesAreManySteps) {
    const auto suits = [](const std::vector<offset_t>& row_ptrs, int row_bytes, offset_t shared = 0) {
        return cuda::suits_csr_spmm(row_ptrs, shared, row_bytes);
    };
    EXPECT_TRUE(suits(even_rows(0, 0), 64));
    EXPECT_TRUE(suits(even_rows(3, 5000), 64));
    EXPECT_TRUE(suits(even_rows(10'000, 50), 256));
    EXPECT_TRUE(suits(even_rows(30'000, 30), 64));
    EXPECT_TRUE(suits(even_rows(30'000, 30), 256));
    EXPECT_FALSE(suits(even_rows(60'000, 30), 256)) << "many nonzeros times columns";
    EXPECT_FALSE(suits(even_rows(100'000, 2), 64)) << "many rows";
    EXPECT_TRUE(suits(even_rows(60'000, 70), 32));
    EXPECT_FALSE(suits(even_rows(60'000, 70), 32, 60'000 * 56)) << "rows of X are loaded once for five rows";
}

TEST(CsrPieces, SuitMatricesWhoseLongestRowIsNotForOneTeam) {
    auto with_hub = even_rows(30'000, 9);
    EXPECT_TRUE(cuda::suits_csr_spmm(with_hub, 0, 64));
    EXPECT_FALSE(cuda::suits_csr_spmm(with_hub, 0, 128));
    with_hub.push_back(with_hub.back() + 2000);
    EXPECT_TRUE(cuda::suits_csr_spmm(with_hub, 0, 128)) << "sell-spmm has a second kernel for it";
    with_hub.back() += 25'000;
    EXPECT_FALSE(cuda::suits_csr_spmm(with_hub, 0, 64));
}

TEST(CsrPieces, AreSharedByMoreLanesWhereRowsAreLong) {
    EXPECT_EQ(cuda::lanes_of_csr_spmm(16 * 1000 - 1, 1000), 2);
    EXPECT_EQ(cuda::lanes_of_csr_spmm(16 * 1000, 1000), 4);
    EXPECT_EQ(cuda::lanes_of_csr_spmm(40 * 30'000 - 1, 30'000), 2);
    EXPECT_EQ(cuda::lanes_of_csr_spmm(40 * 30'000, 30'000), 4);
}

}  // namespace
}  // namespace tilespmv::testing
