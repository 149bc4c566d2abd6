#include "kernels/cuda/residency.hpp"

#include <gtest/gtest.h>

namespace tilespmv::cuda {
namespace {

constexpr Residency kEight{.multiprocessors = 132, .blocks = 8, .block_bytes = 1024, .split_bytes = 64 << 10};

unsigned held_by_one(const Residency& of, unsigned blocks) {
    return std::min(of.blocks, of.split_bytes / (of.block_bytes + balancing_bytes(of, blocks)));
}

TEST(BalancingBytes, LetNoMultiprocessorHoldMoreThanItsShare) {
    for (unsigned blocks = 132 * 4 + 1; blocks <= 132 * 8; ++blocks) {
        EXPECT_EQ(held_by_one(kEight, blocks), (blocks + 131) / 132) << blocks;
    }
    const Residency large{.multiprocessors = 132, .blocks = 5, .block_bytes = 17000, .split_bytes = 100 << 10};
    for (const unsigned blocks : {400U, 500U}) EXPECT_EQ(held_by_one(large, blocks), (blocks + 131) / 132) << blocks;
}

TEST(BalancingBytes, AreNoneWhereTwoLaunchesFitAtOnce) {
    EXPECT_EQ(balancing_bytes(kEight, 1), 0U);
    EXPECT_EQ(balancing_bytes(kEight, 132 * 4), 0U);
    EXPECT_GT(balancing_bytes(kEight, 132 * 4 + 1), 0U);
}

TEST(BalancingBytes, AreNoneWhereALaunchFillsTheGpu) {
    EXPECT_GT(balancing_bytes(kEight, 132 * 7), 0U);
    EXPECT_EQ(balancing_bytes(kEight, 132 * 7 + 1), 0U);
    EXPECT_EQ(balancing_bytes(kEight, 1U << 30), 0U);
}

TEST(BalancingBytes, AreNoneOfWhatIsNotKnown) { EXPECT_EQ(balancing_bytes({}, 500), 0U); }

TEST(BalancingBytes, LeaveABlockWhatAKernelMayHave) {
    const Residency few{.multiprocessors = 2, .blocks = 3, .block_bytes = 1024, .split_bytes = 228 << 10};
    EXPECT_EQ(balancing_bytes(few, 4) + few.block_bytes, 48U << 10);
}

}  // namespace
}  // namespace tilespmv::cuda
