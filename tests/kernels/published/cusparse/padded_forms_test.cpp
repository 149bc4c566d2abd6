// The forms of a matrix that are made for cuSPARSE.
#include <gtest/gtest.h>

#include <map>

#include "kernels/published/cusparse/bsr.hpp"
#include "kernels/published/cusparse/sell.hpp"
#include "tests/support/battery.hpp"
#include "tests/support/message_of.hpp"

namespace tilespmv::testing {
namespace {

using Entries = std::map<std::pair<index_t, index_t>, double>;

Entries entries_of(const CsrMatrix<double>& a) {
    Entries entries;
    for (index_t row = 0; row < a.rows; ++row) {
        for (offset_t k = a.row_ptrs[row]; k < a.row_ptrs[row + 1]; ++k) entries[{row, a.col_idxs[k]}] = a.values[k];
    }
    return entries;
}

/// What is not 0.
Entries entries_of(const cuda::BsrMatrix<double>& bsr, bool by_row) {
    Entries entries;
    const int size = bsr.block_size;
    for (index_t block_row = 0; block_row < bsr.block_rows; ++block_row) {
        for (auto block = bsr.row_ptrs[block_row]; block < bsr.row_ptrs[block_row + 1]; ++block) {
            for (int i = 0; i < size * size; ++i) {
                const double value = bsr.values[static_cast<std::size_t>(block * size * size + i)];
                const int row = by_row ? i / size : i % size;
                const int col = by_row ? i % size : i / size;
                if (value != 0) entries[{block_row * size + row, bsr.col_idxs[block] * size + col}] = value;
            }
        }
    }
    return entries;
}

TEST(BsrMatrix, HoldsEveryNonzeroInTheFewestBlocks) {
    for (const auto& [name, a] : matrix_battery()) {
        SCOPED_TRACE(name);
        const auto all = entries_of(a);
        auto expected = all;
        std::erase_if(expected, [](const auto& entry) { return entry.second == 0; });
        for (const int size : {2, 4, 8, 16}) {
            std::set<std::pair<index_t, index_t>> blocks;
            for (const auto& [at, value] : all) blocks.emplace(at.first / size, at.second / size);
            for (const auto order : {cuda::BlockOrder::row_major, cuda::BlockOrder::column_major}) {
                const auto bsr = cuda::make_bsr(a, size, order);
                EXPECT_EQ(entries_of(bsr, order == cuda::BlockOrder::row_major), expected);
                EXPECT_EQ(bsr.blocks(), std::ssize(blocks));
                EXPECT_EQ(bsr.block_rows, div_up(a.rows, size));
                EXPECT_EQ(bsr.block_cols, div_up(a.cols, size));
            }
        }
    }
}

TEST(BsrMatrix, HasItsBlocksInOrder) {
    const auto a = matrix_of(5, 9, {{0, 8}, {1, 0}, {1, 3}, {4, 4}});
    const auto bsr = cuda::make_bsr(a, 2, cuda::BlockOrder::column_major);
    EXPECT_EQ(bsr.row_ptrs, (Buffer<std::int32_t>{0, 3, 3, 4}));
    EXPECT_EQ(bsr.col_idxs, (Buffer<index_t>{0, 1, 4, 2}));
    EXPECT_EQ(bsr.values[1], a.values[1]) << "row 1, column 0 of its block";
    EXPECT_EQ(bsr.values[4 + 3], a.values[2]) << "row 1, column 1 of its block";
}

// One row of nonzeros so far apart that each has a block: 2^27 columns, 2^23 blocks of 256 values.
TEST(BsrMatrix, RefusesBlocksOf2To31Values) {
    constexpr index_t blocks = 1 << 23;
    CsrMatrix<Half> a{1, blocks * 16, {0, blocks}, Buffer<index_t>(blocks), Buffer<Half>(blocks)};
    for (index_t i = 0; i < blocks; ++i) a.col_idxs[i] = i * 16;
    EXPECT_EQ(test::message_of([&] { (void)cuda::make_bsr(a, 16, cuda::BlockOrder::row_major); }),
              "1: BSR with blocks of 16 x 16 has 2^31 values or more, cuSPARSE counts in 32 bits");
}

template <class I>
Entries entries_of(const cuda::SellMatrix<double, I>& sell, index_t rows) {
    Entries entries;
    for (index_t row = 0; row < rows; ++row) {
        const auto slice = static_cast<std::size_t>(row / sell.kSlice);
        for (I at = sell.slice_offsets[slice] + row % sell.kSlice; at < sell.slice_offsets[slice + 1];
             at += sell.kSlice) {
            const auto col = static_cast<index_t>(sell.col_idxs[static_cast<std::size_t>(at)]);
            if (col >= 0) entries[{row, col}] = sell.values[static_cast<std::size_t>(at)];
        }
    }
    return entries;
}

TEST(SellMatrix, HoldsEveryNonzeroAndMarksPadding) {
    for (const auto& [name, a] : matrix_battery()) {
        SCOPED_TRACE(name);
        const auto sell = cuda::make_sell<std::int32_t>(a);
        EXPECT_EQ(entries_of(sell, a.rows), entries_of(a));
        EXPECT_EQ(static_cast<offset_t>(sell.values.size()), cuda::sell_size(a));
        EXPECT_EQ(entries_of(cuda::make_sell<std::int64_t>(a), a.rows), entries_of(a));
        EXPECT_EQ(std::count(sell.col_idxs.begin(), sell.col_idxs.end(), -1), cuda::sell_size(a) - a.nnz());
    }
}

TEST(SellMatrix, IsAsWideAsTheLongestRowOfASlice) {
    const auto a = matrix_of(70, 9, {{0, 1}, {0, 2}, {31, 5}, {40, 0}, {69, 8}});
    EXPECT_EQ(cuda::sell_size(a), 32 * (2 + 1 + 1));
    EXPECT_EQ(cuda::make_sell<std::int32_t>(a).slice_offsets, (Buffer<std::int32_t>{0, 64, 96, 128}));
}

}  // namespace
}  // namespace tilespmv::testing
