// Products are launched by the driver, which knows nothing of what the runtime does for a thread that uses a GPU.
#include <cstdlib>
#include <thread>

#include "kernels/cuda/dependent_launch.hpp"
#include "kernels/cuda/probe.hpp"
#include "kernels/cuda/stream.hpp"
#include "tests/kernels/cuda/device_fixture.hpp"
#include "tests/kernels/cuda/slow_kernels.hpp"
#include "tests/support/battery.hpp"
#include "tests/support/message_of.hpp"

namespace tilespmv::testing {
namespace {

class Launch : public OnDevice {
protected:
    static std::vector<double> twice(const std::vector<double>& x) {
        const auto csr = matrix_of(3, 3, {{0, 0}, {1, 1}, {2, 2}});
        const auto a = cuda::make_device_operator<double>("csr-vector", csr, Accumulator::float64, nullptr);
        return product(*a, 2, x, 0, {kNaN, kNaN, kNaN});
    }
};

TEST_F(Launch, ServesThreadsThatHaveNotUsedTheGpu) {
    const auto csr = matrix_of(3, 3, {{0, 0}, {1, 1}, {2, 2}});
    const auto a = cuda::make_device_operator<double>("csr-vector", csr, Accumulator::float64, nullptr);
    const auto here = product(*a, 2, {1, 2, 3}, 0, {kNaN, kNaN, kNaN});
    DeviceVectors<double> vectors({1, 2, 3}, {kNaN, kNaN, kNaN});
    std::thread([&] { vectors.apply(*a, 2, 0); }).join();  // nothing else on the thread
    EXPECT_EQ(vectors.y(), here);
}

TEST_F(Launch, FollowsAResetOfTheGpu) {
    GTEST_FLAG_SET(death_test_style, "threadsafe");  // a process of its own
    const auto reset_between = [] {
        const auto before = twice({1, 2, 3});
        if (cudaDeviceReset() != cudaSuccess) std::exit(2);
        std::exit(twice({1, 2, 3}) == before ? 0 : 1);
    };
    EXPECT_EXIT(reset_between(), ::testing::ExitedWithCode(0), "");
}

TEST_F(Launch, AsksForNoMoreThanKernelsWereCompiledFor) {
    EXPECT_EQ(device_.compiled_for * 10, architecture_of_kernels());
    EXPECT_LE(device_.compiled_for, device_.compute_capability);
    EXPECT_EQ(cuda::has_dependent_launch(), architecture_of_kernels() >= 900);
}

TEST_F(Launch, SaysWhyItFailed) {
    const cuda::KernelLaunch launch{
        .kernel = cuda::probe_kernel(), .blocks = 1, .threads = 1, .shared_bytes = 1u << 30};
    const auto said = test::message_of([&] { cuda::launch_dependent(launch, nullptr, nullptr); });
    EXPECT_NE(said.find("invalid argument"), std::string::npos) << said;
}

}  // namespace
}  // namespace tilespmv::testing
