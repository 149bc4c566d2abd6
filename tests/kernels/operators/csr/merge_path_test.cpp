#include "kernels/operators/csr/merge_path.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "tests/support/battery.hpp"

namespace tilespmv::testing {
namespace {

TEST(MergePath, ListsTheEndOfARowBehindItsNonzeros) {
    for (const auto& [name, a] : matrix_battery()) {
        SCOPED_TRACE(name);
        std::int64_t item = 0;
        for (index_t row = 0; row < a.rows; ++row) {
            for (offset_t k = a.row_ptrs[row]; k <= a.row_ptrs[row + 1]; ++k) {
                ASSERT_EQ(cuda::row_ends_before(a.row_ptrs.data(), a.rows, item), row) << "item " << item;
                ++item;
            }
        }
        EXPECT_EQ(item, a.rows + a.nnz());
        EXPECT_EQ(cuda::row_ends_before(a.row_ptrs.data(), a.rows, item), a.rows);
    }
}

TEST(MergePath, HoldsOffsetsBeyond32Bits) {
    const std::vector<offset_t> row_ptrs{0, 5'000'000'000, 5'000'000'000, 9'000'000'000};
    EXPECT_EQ(cuda::row_ends_before(row_ptrs.data(), 3, 5'000'000'000), 0);
    EXPECT_EQ(cuda::row_ends_before(row_ptrs.data(), 3, 5'000'000'001), 1);
    EXPECT_EQ(cuda::row_ends_before(row_ptrs.data(), 3, 5'000'000'002), 2);
    EXPECT_EQ(cuda::row_ends_before(row_ptrs.data(), 3, 9'000'000'003), 3);
}

struct Piece {
    cuda::MergeStart start;
    std::int64_t nonzero = 0;
};

/// Where each piece begins, and behind the last one the end of the matrix.
std::vector<Piece> pieces_of(const CsrMatrix<double>& a, cuda::MergePieces pieces) {
    std::vector<Piece> all;
    const std::int64_t items = a.rows + a.nnz();
    for (std::int64_t i = 0; i == 0 || (i - 1) * pieces.items < items; ++i) {
        const auto start = cuda::merge_start(a.row_ptrs.data(), a.rows, i, pieces);
        all.push_back({start, start.nonzero(std::min(i * pieces.items, items))});
    }
    return all;
}

template <class Check>
void for_each_cut(Check&& check) {
    for (const auto& [name, a] : matrix_battery()) {
        for (const cuda::MergePieces pieces : {cuda::MergePieces{7, 1}, {14, 2}, {56, 8}, {448, 64}}) {
            SCOPED_TRACE(::testing::Message() << name << ", pieces of " << pieces.items);
            check(a, pieces, pieces_of(a, pieces));
        }
    }
}

TEST(MergePath, PiecesHoldEveryRowEndAndNonzeroOnce) {
    for_each_cut([](const auto& a, cuda::MergePieces pieces, const auto& starts) {
        EXPECT_EQ(starts.front().start.row, 0);
        EXPECT_EQ(starts.front().nonzero, 0);
        EXPECT_EQ(starts.back().start.row, a.rows);
        EXPECT_EQ(starts.back().nonzero, a.nnz());
        for (std::size_t i = 1; i < starts.size(); ++i) {
            const auto rows = starts[i].start.row - starts[i - 1].start.row;
            const auto nonzeros = starts[i].nonzero - starts[i - 1].nonzero;
            EXPECT_TRUE(rows >= 0 && rows <= pieces.items) << rows << " rows in piece " << i - 1;
            EXPECT_TRUE(nonzeros >= 0 && nonzeros <= pieces.items + pieces.slack)
                << nonzeros << " nonzeros in piece " << i - 1;
        }
    });
}

TEST(MergePath, PiecesCutOnlyRowsWithMoreNonzerosBeforeTheCutThanTheSlack) {
    for_each_cut([](const auto& a, cuda::MergePieces pieces, const auto& starts) {
        for (const auto& [start, nonzero] : starts) {
            const auto before = nonzero - a.row_ptrs[start.row];
            EXPECT_TRUE(start.is_inside_row() ? before > pieces.slack : before == 0) << "row " << start.row;
        }
    });
}

TEST(MergePath, PiecesInsideARowSayWhereItBegins) {
    for_each_cut([](const auto& a, cuda::MergePieces, const auto& starts) {
        for (std::size_t i = 0; i < starts.size(); ++i) {
            if (!starts[i].start.is_inside_row()) continue;
            const auto row = starts[i].start.row;
            const std::size_t first = i - static_cast<std::size_t>(-starts[i].start.back);
            ASSERT_LT(first, i);
            EXPECT_LE(starts[first].nonzero + starts[first].start.row, a.row_ptrs[row] + row) << "piece " << i;
            EXPECT_GT(starts[first + 1].nonzero, a.row_ptrs[row]) << "piece " << i;
        }
    });
}

TEST(MergePath, PiecesReachBeyond32Bits) {
    const std::vector<offset_t> row_ptrs{0, 5'000'000'000, 5'000'000'000, 9'000'000'000};
    const cuda::MergePieces pieces{896, 128};
    const auto start = cuda::merge_start(row_ptrs.data(), 3, 10'000'000, pieces);
    EXPECT_EQ(start.row, 2);
    EXPECT_EQ(start.nonzero(8'960'000'000), 8'959'999'998);
    EXPECT_EQ(start.back, 5'000'000'130 / 896 - 10'000'000);
}

}  // namespace
}  // namespace tilespmv::testing
