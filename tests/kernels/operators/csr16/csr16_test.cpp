#include "kernels/operators/csr16/csr16.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <tuple>
#include <vector>

#include "kernels/cuda/tuning.hpp"
#include "selector/auto/matrix_features.hpp"
#include "selector/work_sizes.hpp"
#include "tests/support/battery.hpp"
#include "tile/generate/generate.hpp"

namespace tilespmv::testing {
namespace {

using cuda::Csr16;
using cuda::Csr16Block;
using cuda::Csr16Limits;

// The blocks of a matrix one after the other, by the words of the header.
class Expected {
public:
    Expected(const CsrMatrix<double>& a, const Csr16Limits& limits) : a_(a) {
        for (index_t row = 0; row < a.rows;) {
            const offset_t length = a.row_ptrs[row + 1] - a.row_ptrs[row];
            if (length > limits.block_nonzeros) {
                const bool is_whole = length <= limits.whole_row;
                in_long_rows += length;
                add_pieces(row++, length, is_whole ? 1 : div_up(length, limits.piece_nonzeros));
                continue;
            }
            index_t end = row + 1;
            while (end < a.rows && end - row < 256 && a.row_ptrs[end + 1] - a.row_ptrs[row] <= limits.block_nonzeros) {
                ++end;
            }
            add(row, end - row, a.row_ptrs[row], a.row_ptrs[end]);
            row = end;
        }
    }

    std::vector<Csr16Block> blocks;
    std::vector<std::uint16_t> ends;
    std::vector<std::uint16_t> codes;
    std::vector<cuda::SplitRow> splits;
    std::uint32_t partials = 0;
    offset_t in_long_rows = 0;

private:
    void add_pieces(index_t row, offset_t length, offset_t pieces) {
        for (offset_t i = 0; i < pieces; ++i) {
            const offset_t begin = a_.row_ptrs[row];
            add(row, 1, begin + length * i / pieces, begin + length * (i + 1) / pieces);
            blocks.back().is_piece = true;
            if (pieces == 1) return;
            blocks.back().partial = static_cast<std::int32_t>(partials + i);
            blocks.back().split = static_cast<std::int32_t>(splits.size());
        }
        splits.push_back({partials, static_cast<std::uint32_t>(pieces)});
        partials += static_cast<std::uint32_t>(pieces);
    }

    void add(index_t row, index_t rows, offset_t first, offset_t end) {
        Csr16Block block;
        block.first_nonzero = first;
        block.first_code = static_cast<std::int64_t>(codes.size());
        block.first_end = static_cast<std::uint32_t>(ends.size());
        block.first_row = static_cast<std::uint32_t>(row);
        block.nonzeros = static_cast<std::uint16_t>(end - first);
        block.rows = static_cast<std::uint16_t>(rows);
        while (block.threads_log2 < 5 && end - first > (offset_t{16} * rows) << block.threads_log2) {
            ++block.threads_log2;
        }
        for (index_t r = 1; r <= rows; ++r) {
            ends.push_back(static_cast<std::uint16_t>(std::min(a_.row_ptrs[row + r], end) - first));
        }
        const std::vector<index_t> cols(a_.col_idxs.begin() + first, a_.col_idxs.begin() + end);
        if (!cols.empty()) {
            const auto [low, high] = std::ranges::minmax(cols);
            block.wide = high - low / 16 * 16 >= 1 << 16;
            block.base_column = block.wide ? 0 : static_cast<std::uint32_t>(low / 16 * 16);
        }
        for (const index_t col : cols) {
            const auto code = static_cast<std::uint32_t>(col) - block.base_column;
            codes.push_back(static_cast<std::uint16_t>(code & 0xffffu));
            if (block.wide) codes.push_back(static_cast<std::uint16_t>(code >> 16));
        }
        if (codes.size() % 2 != 0) codes.push_back(0);
        blocks.push_back(block);
    }

    const CsrMatrix<double>& a_;
};

auto members_of(const Csr16Block& b) {
    return std::tuple(b.first_nonzero, b.first_code, b.first_end, b.first_row, b.base_column, b.nonzeros, b.rows,
                      b.partial, b.split, b.threads_log2, b.is_piece, b.wide);
}

TEST(Csr16, IsThatOfTheRule) {
    for (const auto& [name, a] : matrix_battery()) {
        for (const Csr16Limits limits : {Csr16Limits{1, 1}, {7, 100}, {100, 100}, {7, 20, 70}, {512, 2048}}) {
            SCOPED_TRACE(name + ' ' + std::to_string(limits.block_nonzeros));
            const auto b = cuda::make_csr16(a, limits);
            const Expected expected(a, limits);
            ASSERT_EQ(b.blocks.size(), expected.blocks.size());
            for (std::size_t i = 0; i < b.blocks.size(); ++i) {
                EXPECT_TRUE(members_of(b.blocks[i]) == members_of(expected.blocks[i])) << "block " << i;
            }
            EXPECT_TRUE(std::ranges::equal(b.ends, expected.ends));
            EXPECT_TRUE(std::ranges::equal(b.codes, expected.codes));
            EXPECT_TRUE(std::ranges::equal(b.splits, expected.splits, [](auto one, auto other) {
                return one.first_partial == other.first_partial && one.partials == other.partials;
            }));
            EXPECT_EQ(b.partials, expected.partials);
            EXPECT_EQ(b.nonzeros, a.nnz());
            EXPECT_EQ(b.in_long_rows, expected.in_long_rows);
        }
    }
}

TEST(Csr16, HoldsTheRowsAskedFor) {
    const auto a = matrix_of(64, 64, {{0, 0}, {15, 2}, {16, 3}, {31, 4}, {32, 5}, {63, 63}});
    const std::vector<RowRange> rows{{0, 16}, {48, 64}};
    const auto b = cuda::make_csr16<double>(a, rows, Csr16Limits{});
    ASSERT_EQ(b.blocks.size(), 2u);
    EXPECT_EQ(b.blocks[0].first_row, 0u);
    EXPECT_EQ(b.blocks[0].rows, 16);
    EXPECT_EQ(b.blocks[1].first_row, 48u);
    EXPECT_EQ(b.sources, (std::vector<offset_t>{0, 5}));
    EXPECT_EQ(b.nonzeros, 3);
}

TEST(Csr16, BytesAreThoseOfItsArrays) {
    const auto b = cuda::make_csr16(matrix_of(3, 50, {{0, 0}, {0, 1}, {2, 40}}), Csr16Limits{});
    ASSERT_EQ(b.blocks.size(), 1u);
    EXPECT_EQ(b.bytes(sizeof(double)), 48 + 3 * 2 + 4 * 2 + 3 * sizeof(double)) << "codes are padded to pairs";
}

TEST(Csr16, LimitsFollowTheMatrix) {
    Gpu gpu{.multiprocessors = 132, .warps = 64};
    const auto few = cuda::csr16_limits(1000, gpu);
    EXPECT_EQ(few.block_nonzeros, 2 * Csr16::kThreads);
    EXPECT_EQ(few.piece_nonzeros, 2 * few.block_nonzeros);
    EXPECT_EQ(few.whole_row, Csr16::kMaxNonzeros);
    const auto many = cuda::csr16_limits(1'000'000'000, gpu);
    EXPECT_EQ(many.block_nonzeros, Csr16::kMaxNonzeros);
    EXPECT_EQ(many.piece_nonzeros, 4 * Csr16::kMaxNonzeros);
    EXPECT_EQ(many.whole_row, many.piece_nonzeros);
    EXPECT_EQ(many.nonzeros_per_thread, 16);
    gpu.tuning.row_blocks.nonzeros_per_thread = 8;
    EXPECT_EQ(cuda::csr16_limits(1000, gpu).nonzeros_per_thread, 8);
}

}  // namespace
}  // namespace tilespmv::testing
