#include "kernels/baseline/defaults.hpp"

#include <gtest/gtest.h>

namespace tilespmv::baseline {
namespace {

TEST(CsrVectorDefaults, AThreadHasAtMostFourNonzerosOfAMeanRow) {
    EXPECT_EQ(threads_per_row(0, 0), 2);
    EXPECT_EQ(threads_per_row(100, 0), 2);
    EXPECT_EQ(threads_per_row(100, 800), 2);
    EXPECT_EQ(threads_per_row(100, 801), 4);
    EXPECT_EQ(threads_per_row(100, 1700), 8);
    EXPECT_EQ(threads_per_row(100, 6400), 16);
    EXPECT_EQ(threads_per_row(100, 6401), 32);
    EXPECT_EQ(threads_per_row(1, 1'000'000'000'000), 32);
    EXPECT_EQ(threads_per_row(2'000'000'000, 60'000'000'000), 8);
}

}  // namespace
}  // namespace tilespmv::baseline
