#include "kernels/cuda/pieces.hpp"

#include <gtest/gtest.h>

#include <numeric>
#include <vector>

namespace tilespmv::cuda {
namespace {

TEST(EvenPieces, HaveTheSameWorkUpToOneThing) {
    std::vector<offset_t> ends{0};
    for (index_t i = 0; i < 1000; ++i) ends.push_back(ends.back() + 1 + i % 7 * (i % 13));
    const auto starts = even_pieces(1000, 9, [&](index_t i) { return ends[static_cast<std::size_t>(i)]; });
    ASSERT_EQ(starts.size(), 10U);
    EXPECT_EQ(starts[0], 0);
    EXPECT_EQ(starts[9], 1000);
    for (int i = 0; i < 9; ++i) {
        const offset_t work = ends[static_cast<std::size_t>(starts[static_cast<std::size_t>(i) + 1])] -
                              ends[static_cast<std::size_t>(starts[static_cast<std::size_t>(i)])];
        EXPECT_NEAR(static_cast<double>(work), static_cast<double>(ends.back()) / 9, 73) << i;
    }
}

TEST(EvenPieces, AreEmptyWhereThereIsTooLittle) {
    const auto three = even_pieces(3, 8, [](index_t i) { return offset_t{i}; });
    EXPECT_TRUE(std::ranges::is_sorted(three));
    EXPECT_EQ(three[0], 0);
    EXPECT_EQ(three[8], 3);
    const auto none = even_pieces(0, 2, [](index_t) { return offset_t{0}; });
    EXPECT_EQ(none, (std::vector<index_t>{0, 0, 0}));
    const auto no_work = even_pieces(5, 2, [](index_t) { return offset_t{0}; });
    EXPECT_EQ(no_work[0], 0);
    EXPECT_EQ(no_work[2], 5);
}

}  // namespace
}  // namespace tilespmv::cuda
