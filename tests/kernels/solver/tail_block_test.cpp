#include "kernels/solver/tail_block.hpp"

#include <gtest/gtest.h>

namespace tilespmv::solver {
namespace {

TEST(TailBlock, IsThereWhereEveryWarpHasPacks) {
    constexpr LaunchShape shape{256, 2, 0};
    EXPECT_EQ(tail_blocks(shape, 1501, 2), 1) << "238 packs in the last turn: 8 warps";
    EXPECT_EQ(tail_blocks(shape, 1500, 2), 0) << "no value is left";
    EXPECT_EQ(tail_blocks(shape, 1024 + 448 + 1, 2), 0) << "224 packs are for 7 warps";
    EXPECT_EQ(tail_blocks(shape, 1024 + 450 + 1, 2), 1);
    EXPECT_EQ(tail_blocks(shape, 1535, 2), 1);
    EXPECT_EQ(tail_blocks(shape, 1537, 2), 0) << "the last part has nothing else";
    EXPECT_EQ(tail_blocks(shape, 0, 2), 0);
    EXPECT_EQ(tail_blocks({256, 8, 0}, 1501, 2), 1) << "the third turn of one part";
    EXPECT_EQ(tail_blocks({256, 4, 0}, 1023, 4), 1);
    EXPECT_EQ(tail_blocks({256, 4, 0}, 1020, 4), 0);
}

TEST(TailBlock, IsForFewThreadsWithoutACap) {
    EXPECT_EQ(tail_blocks({1024, 2, 0}, 64 * 2048 - 1, 2), 1);
    EXPECT_EQ(tail_blocks({1024, 2, 0}, 65 * 2048 - 1, 2), 0) << "one more might not fit beside the launch before";
    EXPECT_EQ(tail_blocks({256, 2, 0}, 49'135, 2), 1) << "96 blocks";
    EXPECT_EQ(tail_blocks({128, 2, 0}, 512 * 256 - 1, 2), 1);
    EXPECT_EQ(tail_blocks({128, 2, 0}, 513 * 256 - 1, 2), 0);
    EXPECT_EQ(tail_blocks({256, 2, 3}, 1501, 2), 1) << "the cap is not reached by the parts";
    EXPECT_EQ(tail_blocks({256, 2, 2}, 1501, 2), 0);
}

}  // namespace
}  // namespace tilespmv::solver
