#include "selector/models/launch_choice.hpp"

#include <cmath>

#include <gtest/gtest.h>

#include "selector/csr_shapes.hpp"

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
        f.row_rounds[i] = {nonzeros, rows * rounds, rounds};
    }
    return f;
}

TEST(LaunchChoice, FollowsThreadsAndSteps) {
    const auto few = rows_of(4000, 5);
    const auto many = rows_of(1'000'000, 20);
    const auto shape = cuda::vector_shape(many.row_rounds, cuda::kTurnFlights, {});
    EXPECT_EQ(launch_choice("csr-vector", "turns=1", many), std::log2(shape.threads));
    EXPECT_LT(launch_choice("csr16", "", few), launch_choice("csr16", "", many));
    EXPECT_LT(launch_choice("sell", "", few), launch_choice("sell", "", many));
    EXPECT_LT(launch_choice("csr5", "", few), launch_choice("csr5", "", many));
    EXPECT_LT(launch_choice("mixed", "", few), launch_choice("mixed", "", many));
    EXPECT_LT(launch_choice("dia", "", few), launch_choice("dia", "", many));
    EXPECT_GT(launch_choice("csr-inode", "", many), 0);
}

TEST(LaunchChoice, TellsWhatStripExecutes) {
    auto f = rows_of(100'000, 20);
    f.strip_slots = 20;
    f.rank_slots = 40;
    f.narrow_share = 1;
    EXPECT_EQ(strip_form(f), StripForm::windows);
    const double windows = launch_choice("strip", "", f);
    f.strip_slots = 1000;
    EXPECT_EQ(strip_form(f), StripForm::csr16) << "twice as many places as nonzeros";
    EXPECT_GT(launch_choice("strip", "", f), windows);
    f.rank_slots = 21;
    EXPECT_EQ(strip_form(f), StripForm::ranks);
    EXPECT_LT(launch_choice("strip", "", f), windows);
    f.narrow_share = 0.4;
    EXPECT_EQ(strip_form(f), StripForm::csr16) << "columns too far from each other";
}

TEST(LaunchChoice, IsNoneOfWhatIsFixedOrUnknown) {
    const auto f = rows_of(100'000, 20);
    EXPECT_EQ(launch_choice("csr-vector", "threads=4", f), 0);
    EXPECT_EQ(launch_choice("brand-new", "", f), 0);
    EXPECT_TRUE(std::isfinite(launch_choice("csr-inode", "", {})));
}

TEST(MultiroundGroup, GrowsWithRows) {
    EXPECT_EQ(multiround_group(rows_of(1000, 2)), 1);
    EXPECT_EQ(multiround_group(rows_of(1000, 1000)), 32);
}

}  // namespace
}  // namespace tilespmv
