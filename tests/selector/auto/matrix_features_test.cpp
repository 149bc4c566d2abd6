#include "selector/auto/features_of.hpp"
#include "tests/support/threads.hpp"

#include <sys/mman.h>
#include <sys/resource.h>

#include <cmath>
#include <numeric>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "tile/generate/generate.hpp"

namespace tilespmv {
namespace {

/// A pattern by the columns of its rows, which it owns.
struct Pattern {
    Pattern(index_t columns, const std::vector<std::vector<index_t>>& rows) : cols(columns) {
        for (const auto& row : rows) {
            col_idxs.insert(col_idxs.end(), row.begin(), row.end());
            row_ptrs.push_back(static_cast<offset_t>(col_idxs.size()));
        }
    }
    [[nodiscard]] PatternView view(std::size_t value_bytes = 8) const {
        return {static_cast<index_t>(row_ptrs.size()) - 1, cols, row_ptrs, col_idxs, value_bytes};
    }

    index_t cols;
    std::vector<offset_t> row_ptrs{0};
    std::vector<index_t> col_idxs;
};

MatrixFeatures of(index_t cols, const std::vector<std::vector<index_t>>& rows, std::size_t value_bytes = 8) {
    return features_of(Pattern(cols, rows).view(value_bytes));
}

template <class V = double>
MatrixFeatures of(const char* generator) {
    return features_of(pattern_of(generate<V>(generator)));
}

TEST(MatrixFeatures, DescribeTheLengthsOfRows) {
    const auto f = of(10, {{0, 1, 2}, {}, {5}, {0, 1, 2, 3}});
    EXPECT_EQ(f.rows, 4);
    EXPECT_EQ(f.cols, 10);
    EXPECT_EQ(f.nnz, 8);
    EXPECT_DOUBLE_EQ(f.mean_row, 2);
    EXPECT_DOUBLE_EQ(f.row_deviation, std::sqrt((1 + 4 + 1 + 4) / 4.0));
    EXPECT_EQ(f.longest_row, 4);
    EXPECT_DOUBLE_EQ(f.empty_rows, 0.25);
    EXPECT_EQ(f.row_rounds[0].all, 2 + 1 + 1 + 2);
}

TEST(MatrixFeatures, CountRowsWithTheColumnsOfTheRowBefore) {
    EXPECT_DOUBLE_EQ(of(10, {{0, 1}, {0, 1}, {0, 2}, {0}, {0}}).inode_rows, 8.0 / (2 + 2 + 1));
    EXPECT_DOUBLE_EQ(of(10, {{0, 1}, {0, 1, 2}, {0, 1}}).inode_rows, 1);
    EXPECT_NEAR(of("fem:n=4,dof=3").inode_rows, 3, 0.3) << "of a sample, and some neighbours are alike";
    EXPECT_NEAR(of("fem:n=20,dof=5").inode_rows, 5, 0.2) << "of a sample";
    EXPECT_DOUBLE_EQ(of("laplace2d:n=50").inode_rows, 1);
}

TEST(MatrixFeatures, OfNothingAreZero) {
    for (const auto& rows : {std::vector<std::vector<index_t>>{}, {{}, {}, {}}}) {
        const auto f = of(5, rows);
        EXPECT_EQ(f.nnz, 0);
        EXPECT_EQ(f.mean_row, 0);
        EXPECT_EQ(f.empty_rows, rows.empty() ? 0 : 1);
        for (const double share :
             {f.x_sectors, f.tile_nonzeros, f.strip_slots, f.strip_fill, f.repeated_strips, f.full_tile_share}) {
            EXPECT_EQ(share, 0);
        }
    }
}

TEST(MatrixFeatures, CountSectorsOfXOf32Bytes) {
    EXPECT_DOUBLE_EQ(of(100, {{0, 3, 4, 7}}).x_sectors, 2.0 / 4);
    EXPECT_DOUBLE_EQ(of(100, {{0, 3, 4, 7}}, 4).x_sectors, 1.0 / 4);
    EXPECT_DOUBLE_EQ(of(100, {{0, 15, 16, 17}}, 2).x_sectors, 2.0 / 4);
    EXPECT_DOUBLE_EQ(of(100, {{0}, {0}, {99}}).x_sectors, 2.0 / 3) << "a sector that two rows read counts once";
}

TEST(MatrixFeatures, FillSlotsByWindowsOfSixteenColumns) {
    // Two rows whose columns lie within 16: a slot of two; then one nonzero that is 16 columns away from the next.
    const auto f = of(100, {{0, 20}, {15, 36}});
    EXPECT_DOUBLE_EQ(f.strip_slots, 3);
    EXPECT_DOUBLE_EQ(f.strip_fill, 4.0 / (3 * 16));
    const auto two_windows = of(100, {{0, 1}, {0, 1}, {0, 17}});
    EXPECT_DOUBLE_EQ(two_windows.strip_slots, 3) << "0 0 0, 1 1 -, 17";
    EXPECT_DOUBLE_EQ(of(200, {{100}, {99}, {0}}).strip_slots, 2);
    const std::vector<std::vector<index_t>> full(16, std::vector<index_t>{3, 4, 5});
    EXPECT_DOUBLE_EQ(of(20, full).strip_slots, 3);
    EXPECT_DOUBLE_EQ(of(20, full).strip_fill, 1);
}

TEST(MatrixFeatures, OfStripsLeaveOutTileRowsTooLongForThem) {
    const auto f = of("arrow:n=20000,width=3,half=6");  // three rows of 20,000 nonzeros, the others of 16
    EXPECT_GT(f.strip_fill, 0.9);
    EXPECT_NEAR(f.strip_slots, 16, 2);
    EXPECT_GT(of("dense:rows=600,cols=600").strip_slots, 500) << "unless all are";
}

TEST(MatrixFeatures, TakeOnlyTheFirstNonzerosOfLongRowsIntoSlots) {
    std::vector<index_t> all(3000);
    std::iota(all.begin(), all.end(), 0);
    std::vector<std::vector<index_t>> rows(kTileSize, all);
    rows[3] = {};
    rows[7] = {5, 2999};
    rows[8] = {2999};  // behind the slots that are counted, all of which others fill
    const auto f = of(3000, rows);
    const double taken = 13 * 1024 + 1;
    EXPECT_DOUBLE_EQ(f.strip_slots, 1024 * static_cast<double>(f.nnz) / taken);
    EXPECT_DOUBLE_EQ(f.tile_nonzeros, taken / (1024 / kTileSize));
}

TEST(MatrixFeatures, CountNonzerosOfATile) {
    EXPECT_DOUBLE_EQ(of(100, {{0, 15, 16}, {31, 32}}).tile_nonzeros, 5.0 / 3);
    EXPECT_DOUBLE_EQ(of(100, {{17, 18}, {15, 20}}).tile_nonzeros, 4.0 / 2) << "the tile to the left is met after";
    EXPECT_DOUBLE_EQ(of("dense:rows=64,cols=64").tile_nonzeros, 256);
    EXPECT_DOUBLE_EQ(of("dense:rows=64,cols=64").strip_fill, 1);
}

/// Columns of `tiles` full tiles from column `first` on, the same in 16 rows.
std::vector<std::vector<index_t>> full_rows(index_t first, int tiles) {
    std::vector<index_t> row(static_cast<std::size_t>(16 * tiles));
    std::iota(row.begin(), row.end(), first);
    return std::vector<std::vector<index_t>>(16, row);
}

TEST(MatrixFeatures, TellTileRowsOfNothingButFullTiles) {
    EXPECT_EQ(of("dense:rows=64,cols=640").full_tile_share, 1);
    EXPECT_EQ(of("dense:rows=64,cols=72").full_tile_share, 0) << "each has a tile at the right edge";
    EXPECT_DOUBLE_EQ(of("dense:rows=72,cols=64").full_tile_share, 64.0 / 72) << "the last one has 8 rows";
    EXPECT_EQ(of("dense:rows=15,cols=64").full_tile_share, 0);
    EXPECT_EQ(of("block-dense:n=1600,block=16,blocks_per_row=3").full_tile_share, 1);
    EXPECT_EQ(of("block-dense:n=1600,block=8,blocks_per_row=6").full_tile_share, 0);
    EXPECT_EQ(of("stencil27:n=16").full_tile_share, 0);

    EXPECT_EQ(of(64, full_rows(16, 2)).full_tile_share, 1);
    EXPECT_EQ(of(64, full_rows(24, 2)).full_tile_share, 0) << "tiles that are not aligned";
    auto rows = full_rows(16, 2);
    for (const auto& row : full_rows(8, 1)) rows.push_back(row);
    EXPECT_DOUBLE_EQ(of(64, rows).full_tile_share, 2.0 / 3);
    for (const auto& empty : std::vector<std::vector<index_t>>(32)) rows.push_back(empty);
    EXPECT_DOUBLE_EQ(of(64, rows).full_tile_share, 2.0 / 3) << "empty ones do not count";
    rows = full_rows(16, 1);
    rows[3].front() = 0;
    EXPECT_EQ(of(64, rows).full_tile_share, 0) << "a hole in the first column";
    rows = full_rows(16, 1);
    for (auto& row : rows) row.back() = 32;
    EXPECT_EQ(of(64, rows).full_tile_share, 0) << "the last column is empty";
}

TEST(MatrixFeatures, MissNoTileRowWhoseLengthsAreNotThoseOfFullTiles) {
    constexpr int tile_rows = 1000;
    std::vector<std::vector<index_t>> rows;
    for (int i = 0; i < tile_rows; ++i) {
        for (const auto& row : full_rows(16, 1)) rows.push_back(row);
    }
    EXPECT_EQ(of(64, rows).full_tile_share, 1);
    rows[16 * 777 + 5].push_back(63);
    EXPECT_DOUBLE_EQ(of(64, rows).full_tile_share, (tile_rows - 1) * 256.0 / (tile_rows * 256 + 1));
}

TEST(MatrixFeatures, RecognizeTileRowsThatCameBefore) {
    std::vector<std::vector<index_t>> rows(64);
    for (index_t r = 0; r < 64; ++r) rows[static_cast<std::size_t>(r)] = {r, r + 1};
    EXPECT_DOUBLE_EQ(of(100, rows).repeated_strips, 3.0 / 4);
    rows[40] = {40, 42};
    EXPECT_DOUBLE_EQ(of(100, rows).repeated_strips, 2.0 / 4);
    rows[8] = {8, 10};
    EXPECT_DOUBLE_EQ(of(100, rows).repeated_strips, 2.0 / 4) << "the first and the third are alike again";
    rows[40] = {40, 41, 42};
    EXPECT_DOUBLE_EQ(of(100, rows).repeated_strips, 1.0 / 4);
}

TEST(MatrixFeatures, OfASampleAreNearThoseOfTheWholeMatrix) {
    const auto f = of("stencil27:n=50");
    EXPECT_NEAR(f.x_sectors, of("stencil27:n=20").x_sectors, 0.1);
    EXPECT_GT(f.repeated_strips, 0.3);
    EXPECT_GT(of("uniform:n=500000,per_row=2").x_sectors, 0.99);
}

TEST(MatrixFeatures, OfASampleDoNotComeFromTheBoundaryOfAGridAlone) {
    // At even distances all 2,048 sampled rows of 64^3 would be at one end of a line: 18 nonzeros at most.
    const auto f = of("stencil27:n=64");
    EXPECT_EQ(f.hyb_width, 27);
    EXPECT_NEAR(f.x_sectors, of("stencil27:n=63").x_sectors, 0.02);
    EXPECT_NEAR(f.strip_slots, of("stencil27:n=63").strip_slots, 2);
}

TEST(MatrixFeatures, TellTheWidthOfHybAndWhatIsBeyondIt) {
    const auto f = of(10, {{0, 1, 2, 3, 4}, {0, 1}, {5}, {0, 1}, {7}, {8}});
    EXPECT_EQ(f.hyb_width, 2) << "three of six rows have two";
    EXPECT_DOUBLE_EQ(f.hyb_rest, 3.0 / 12);
    EXPECT_EQ(of("stencil27:n=20").hyb_width, 27);
    EXPECT_EQ(of("stencil27:n=20").hyb_rest, 0);
}

TEST(MatrixFeatures, CountDiagonals) {
    EXPECT_EQ(of("laplace2d:n=70").diagonals, 5);
    EXPECT_EQ(of("stencil27:n=20").diagonals, 27);
    EXPECT_EQ(of("banded:n=3000,half=7").diagonals, 15);
    EXPECT_GT(of("uniform:n=50000,per_row=16").diagonals, 500);
    EXPECT_EQ(of("dense:rows=40,cols=1100").diagonals, kMostDiagonals) << "at least those of a row";
}

// Of 50,000 rows 256 are in the sample.
TEST(MatrixFeatures, CountDiagonalsThatNoRowOfTheSampleHasWhereDiaWouldPay) {
    constexpr index_t rows = 50'000;
    const auto with_others = [](index_t others) {
        std::vector<offset_t> row_ptrs{0};
        std::vector<index_t> col_idxs;
        for (index_t row = 0; row < rows; ++row) {
            for (index_t i = 0; i < 4; ++i) col_idxs.push_back(row + i);
            if (row % 4001 == 4000 && others-- > 0) col_idxs.push_back(row + 5 + others);
            row_ptrs.push_back(static_cast<offset_t>(col_idxs.size()));
        }
        return features_of({rows, 2 * rows, row_ptrs, col_idxs}).diagonals;
    };
    EXPECT_EQ(with_others(0), 4);
    EXPECT_EQ(with_others(1), 5);
    EXPECT_EQ(with_others(12), 16);
}

TEST(MatrixFeatures, DoNotDependOnTheNumberOfThreads) {
    const auto a = generate<double>("rmat:scale=15,degree=16");
    const auto found = [&] { return features_of(pattern_of(a)); };
    EXPECT_TRUE(test::with_threads(1, found) == test::with_threads(5, found));
}

/// 2^31 columns, all 0, of which no page is there before it is read.
class UntouchedColumns {
public:
    static constexpr std::size_t kSize = std::size_t{1} << 31;
    UntouchedColumns() : memory_(mmap(nullptr, kBytes, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0)) {
        if (memory_ != MAP_FAILED) madvise(memory_, kBytes, MADV_NOHUGEPAGE);
    }
    UntouchedColumns(const UntouchedColumns&) = delete;
    UntouchedColumns& operator=(const UntouchedColumns&) = delete;
    ~UntouchedColumns() {
        if (memory_ != MAP_FAILED) munmap(memory_, kBytes);
    }
    [[nodiscard]] bool are_there() const { return memory_ != MAP_FAILED; }
    [[nodiscard]] std::span<const index_t> all() const { return {static_cast<const index_t*>(memory_), kSize}; }

private:
    static constexpr std::size_t kBytes = kSize * sizeof(index_t);
    void* memory_;
};

long pages_met() {
    rusage usage{};
    getrusage(RUSAGE_SELF, &usage);
    return usage.ru_minflt;
}

TEST(MatrixFeatures, ReadABoundedNumberOfColumns) {
    constexpr index_t rows = 1 << 12;
    const UntouchedColumns columns;
    if (!columns.are_there()) GTEST_SKIP() << "no 8 GiB of addresses";
    std::vector<offset_t> row_ptrs(rows + 1);
    for (std::size_t i = 0; i < row_ptrs.size(); ++i) {
        row_ptrs[i] = static_cast<offset_t>(i * (UntouchedColumns::kSize / rows));
    }
    const long before = pages_met();
    EXPECT_EQ(features_of({rows, 1 << 19, row_ptrs, columns.all()}).longest_row, 1 << 19);
    // 256 blocks, 256 tile rows of 16 rows each, and what else there is.
    EXPECT_LT(pages_met() - before, 256 + 256 * 16 + 4096) << "of two million";
}

}  // namespace
}  // namespace tilespmv
