#include "kernels/cuda/batch.hpp"

#include <gtest/gtest.h>

#include "tests/support/battery.hpp"

namespace tilespmv::testing {
namespace {

using cuda::Batch;
using cuda::BatchItem;
using cuda::BatchLimits;
using cuda::Path;
using cuda::Paths;

std::size_t tile_rows(index_t rows) { return static_cast<std::size_t>(div_up(rows, kTileSize)); }

index_t column(const Batch& b, const BatchItem& item, int k) {
    const std::uint16_t* codes = b.codes.data() + item.first_code;
    const auto code = item.wide ? reinterpret_cast<const std::uint32_t*>(codes)[k] : std::uint32_t{codes[k]};
    return static_cast<index_t>(item.base_column + code);
}

/// The rows of CSR that the items make up; those of other paths are empty.
CsrMatrix<double> rebuild(const CsrMatrix<double>& a, const Batch& b) {
    CsrMatrix<double> built{a.rows, a.cols, Buffer<offset_t>(static_cast<std::size_t>(a.rows) + 1, 0),
                            Buffer<index_t>(static_cast<std::size_t>(b.nonzeros)), cuda::in_batch(b, a.values)};
    for (const auto& item : b.items) {
        for (int k = 0; k < item.nonzeros; ++k) built.col_idxs[item.first_nonzero + k] = column(b, item, k);
        for (int r = 0; r < item.rows; ++r) {
            built.row_ptrs[item.first_row + r + 1] = item.first_nonzero + b.ends[item.first_end + r];
        }
    }
    for (index_t r = 0; r < a.rows; ++r) built.row_ptrs[r + 1] = std::max(built.row_ptrs[r + 1], built.row_ptrs[r]);
    return built;
}

void expect_shapes(const Batch& b, const BatchLimits& limits) {
    std::vector<std::uint32_t> seen(b.splits.size(), 0);
    for (const auto& item : b.items) {
        EXPECT_LE(item.nonzeros, item.is_piece ? limits.piece_nonzeros : limits.item_nonzeros);
        EXPECT_LE(item.rows, item.is_piece ? 1 : Batch::kMaxRows);
        EXPECT_EQ(item.slot >= 0, item.split >= 0);
        EXPECT_TRUE(item.slot < 0 || item.is_piece);
        if (item.slot < 0) continue;
        const auto& split = b.splits.at(static_cast<std::size_t>(item.split));
        EXPECT_EQ(static_cast<std::uint32_t>(item.slot),
                  split.first_slot + seen[static_cast<std::size_t>(item.split)]++);
    }
    for (std::size_t i = 0; i < b.splits.size(); ++i) EXPECT_EQ(seen[i], b.splits[i].slots);
}

TEST(Batch, HoldsEveryNonzeroOnceInOrder) {
    for (const auto& [name, a] : matrix_battery()) {
        const Paths paths(tile_rows(a.rows), Path::batch);
        for (const BatchLimits limits : {BatchLimits{1, 1}, {7, 100}, {100, 100}, BatchLimits{}}) {
            SCOPED_TRACE(name + ' ' + std::to_string(limits.item_nonzeros));
            const auto b = cuda::make_batch(a, paths, limits);
            expect_shapes(b, limits);
            EXPECT_EQ(rebuild(a, b), a);
            index_t rows = 0;
            for (const auto& item : b.items) rows += item.slot < 0 ? item.rows : 0;
            EXPECT_EQ(rows + static_cast<index_t>(b.splits.size()), a.rows) << "every row is written once";
        }
    }
}

TEST(Batch, LeavesOutOtherPaths) {
    const auto a = matrix_of(64, 64, {{0, 0}, {15, 2}, {16, 3}, {31, 4}, {32, 5}, {63, 63}});
    const auto b = cuda::make_batch(a, {Path::batch, Path::tiles, Path::dense, Path::batch}, BatchLimits{});
    ASSERT_EQ(b.items.size(), 2u);
    EXPECT_EQ(b.items[0].first_row, 0u);
    EXPECT_EQ(b.items[0].rows, 16);
    EXPECT_EQ(b.items[1].first_row, 48u);
    EXPECT_EQ(b.sources, (std::vector<offset_t>{0, 5}));
    EXPECT_EQ(b.nonzeros, 3);
}

TEST(Batch, CodesTakeSixteenBitsWhereTheColumnsOfAnItemAllowIt) {
    const auto narrow =
        cuda::make_batch(matrix_of(1, 200'000, {{0, 100'001}, {0, 165'535}}), {Path::batch}, BatchLimits{});
    EXPECT_FALSE(narrow.items.at(0).wide);
    EXPECT_EQ(narrow.items[0].base_column, 100'000u);
    EXPECT_EQ(narrow.codes.size(), 2u);
    const auto wide =
        cuda::make_batch(matrix_of(1, 200'000, {{0, 100'001}, {0, 165'536}}), {Path::batch}, BatchLimits{});
    EXPECT_TRUE(wide.items.at(0).wide);
    EXPECT_EQ(wide.codes.size(), 4u);
}

TEST(Batch, LongRowsAreCutIntoEvenPieces) {
    std::set<std::pair<index_t, index_t>> positions;
    for (index_t c = 0; c < 2001; ++c) positions.insert({1, c});
    const auto b = cuda::make_batch(matrix_of(3, 5000, positions), {Path::batch}, {100, 1000});
    ASSERT_EQ(b.items.size(), 5u);
    EXPECT_EQ(b.slots, 3u);
    for (std::size_t i = 1; i <= 3; ++i) EXPECT_EQ(b.items[i].nonzeros, 667);
}

TEST(Batch, AThreadAddsUpAboutSixteenProductsOfARow) {
    for (const auto& [length, log2] :
         {std::pair{0, 0}, {16, 0}, {17, 1}, {32, 1}, {33, 2}, {256, 4}, {257, 5}, {512, 5}}) {
        std::set<std::pair<index_t, index_t>> positions;
        for (index_t c = 0; c < length; ++c) positions.insert({0, c});
        const auto b = cuda::make_batch(matrix_of(1, 600, positions), {Path::batch}, BatchLimits{});
        EXPECT_EQ(b.items.at(0).threads_log2, log2) << length;
    }
}

TEST(Batch, LimitsFollowTheMatrix) {
    const auto few = cuda::batch_limits(1000, 132);
    EXPECT_EQ(few.item_nonzeros, 2 * Batch::kThreads);
    EXPECT_EQ(few.piece_nonzeros, few.item_nonzeros);
    EXPECT_EQ(cuda::batch_limits(132 * 16 * 300, 132).item_nonzeros, 300);
    const auto many = cuda::batch_limits(1'000'000'000, 132);
    EXPECT_EQ(many.item_nonzeros, Batch::kMaxNonzeros);
    EXPECT_EQ(many.piece_nonzeros, 4 * Batch::kMaxNonzeros);
}

}  // namespace
}  // namespace tilespmv::testing
