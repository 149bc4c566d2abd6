#include "kernels/cuda/csr_positions.hpp"

#include <gtest/gtest.h>

namespace tilespmv::cuda {
namespace {

TEST(CsrPositions, CountFromOneInTheirOrder) {
    EXPECT_TRUE(csr_positions<std::uint32_t>(0).empty());
    EXPECT_EQ(csr_positions<std::uint32_t>(3), (Buffer<std::uint32_t>{1, 2, 3}));
    const auto many = csr_positions<std::uint64_t>(200'001);
    ASSERT_EQ(many.size(), 200'001U);
    for (std::size_t k = 0; k < many.size(); ++k) ASSERT_EQ(many[k], k + 1);
}

}  // namespace
}  // namespace tilespmv::cuda
