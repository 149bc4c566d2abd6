#include "kernels/cuda/cache_policy.hpp"

#include "tests/kernels/cuda/device_fixture.hpp"

namespace tilespmv::testing {
namespace {

class CachePolicies : public OnDevice {};

TEST_F(CachePolicies, DifferByWhatTheCacheKeeps) {
    const auto policy = [](double kept) { return cuda::make_cache_policy(kept, nullptr); };
    if (device_.compiled_for < 80) {
        EXPECT_EQ(policy(1), 0u);
        return;
    }
    EXPECT_NE(policy(1), 0u);
    EXPECT_NE(policy(1), policy(0));
    EXPECT_NE(policy(1), policy(0.5));
    EXPECT_NE(policy(0), policy(0.5));
    EXPECT_EQ(policy(0.5), policy(0.56)) << "in whole sixteenths";
    EXPECT_NE(policy(0.5), policy(0.57));
    EXPECT_EQ(policy(2), policy(1)) << "no more than all";
    EXPECT_EQ(policy(-1), policy(0));
}

TEST_F(CachePolicies, AreForTheCacheOfThisGpu) { EXPECT_EQ(cuda::l2_bytes(), device_.l2_bytes); }

}  // namespace
}  // namespace tilespmv::testing
