#include <cmath>

#include <gtest/gtest.h>

#include "kernels/operators/strip/choice.hpp"
#include "selector/csr_shapes.hpp"
#include "tests/support/launch_choice.hpp"

namespace tilespmv {
namespace {

/// Rows of one length.
MatrixFeatures rows_of(index_t rows, offset_t length) {
    MatrixFeatures f;
    f.rows = f.cols = rows;
    f.nnz = rows * length;
    f.mean_row = static_cast<double>(length);
    f.longest_row = length;
    f.inode_rows = 1;
    for (std::size_t i = 0; i < f.row_rounds.size(); ++i) {
        const int nonzeros = 2 << i;
        const offset_t rounds = div_up(length, offset_t{nonzeros});
        f.row_rounds[i] = {nonzeros, rows * rounds, rounds, rows * sell_lanes(length, nonzeros)};
    }
    return f;
}

TEST(LaunchChoice, FollowsThreadsAndSteps) {
    const auto few = rows_of(4000, 5);
    const auto many = rows_of(1'000'000, 20);
    EXPECT_LT(test::launch_choice("csr16", "", few), test::launch_choice("csr16", "", many));
    EXPECT_LT(test::launch_choice("sell", "", few), test::launch_choice("sell", "", many));
    EXPECT_LT(test::launch_choice("csr5", "", few), test::launch_choice("csr5", "", many));
    EXPECT_LT(test::launch_choice("dia", "", few), test::launch_choice("dia", "", many));
    EXPECT_GT(test::launch_choice("csr-inode", "", many), 0);
}

TEST(LaunchChoice, TellsWhatStripExecutes) {
    auto f = rows_of(100'000, 20);
    f.strip_slots = 20;
    f.rank_slots = 40;
    f.narrow_share = 1;
    EXPECT_EQ(strip_form(f), StripForm::windows);
    const double windows = test::launch_choice("strip", "", f);
    f.strip_slots = 1000;
    EXPECT_EQ(strip_form(f), StripForm::csr16) << "twice as many places as nonzeros";
    EXPECT_GT(test::launch_choice("strip", "", f), windows);
    f.rank_slots = 21;
    EXPECT_EQ(strip_form(f), StripForm::ranks);
    EXPECT_LT(test::launch_choice("strip", "", f), windows);
    f.narrow_share = 0.4;
    EXPECT_EQ(strip_form(f), StripForm::csr16) << "columns too far from each other";
}

TEST(LaunchChoice, IsNoneOfWhatIsFixedOrUnknown) {
    const auto f = rows_of(100'000, 20);
    EXPECT_EQ(test::launch_choice("csr-vector", "threads=4", f), 0);
    EXPECT_EQ(test::launch_choice("brand-new", "", f), 0);
    EXPECT_TRUE(std::isfinite(test::launch_choice("csr-inode", "", {})));
}

TEST(LaunchWaves, AreWarpsOverThoseThatFit) {
    constexpr double kWarps = 132 * 64;
    auto f = rows_of(132 * 64 * 32, 5);
    EXPECT_DOUBLE_EQ(test::launch_waves("ell", "", f), 1);
    EXPECT_DOUBLE_EQ(test::launch_waves("csr-scalar", "", f), 1);
    EXPECT_DOUBLE_EQ(test::launch_waves("csr-vector", "threads=8", f), 8);
    EXPECT_DOUBLE_EQ(test::launch_waves("sell", "", f), 2) << "half as many warps, in float64";
    f.value_bytes = 4;
    EXPECT_DOUBLE_EQ(test::launch_waves("sell", "", f), kWarps / (132 * 48));
    f.row_blocks = 132 * 20;
    EXPECT_DOUBLE_EQ(test::launch_waves("csr16", "", f), 1) << "two warps each";
    EXPECT_DOUBLE_EQ(test::launch_waves("csr-adaptive", "", f), 1);
    f.nnz = 132 * 10 * 896 - f.rows;
    EXPECT_DOUBLE_EQ(test::launch_waves("csr-merge", "", f), 1) << "ten blocks of 128 threads with seven items";
    EXPECT_EQ(test::launch_waves("brand-new", "", f), 0);
}

TEST(LaunchWaves, OfInodesCountTheirRowsOnce) {
    auto f = rows_of(100'000, 20);
    const double single = test::launch_waves("csr-inode", "", f);
    f.inode_rows = 3;
    EXPECT_LT(test::launch_waves("csr-inode", "", f), single);
    EXPECT_TRUE(std::isfinite(test::launch_waves("csr-inode", "", {})));
}

}  // namespace
}  // namespace tilespmv
