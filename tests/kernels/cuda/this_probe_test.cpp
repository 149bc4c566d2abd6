// What is measured on a GPU without a profile.
#include "kernels/cuda/this_probe.hpp"

#include <chrono>

#include "tests/kernels/cuda/device_fixture.hpp"

namespace tilespmv::testing {
namespace {

class ThisProbe : public OnDevice {};

TEST_F(ThisProbe, IsMeasuredSoon) {
    cuda::measure_probe();  // loads its kernels
    const auto start = std::chrono::steady_clock::now();
    const Probe probe = cuda::measure_probe();
    const std::chrono::duration<double> took = std::chrono::steady_clock::now() - start;
    RecordProperty("seconds", std::to_string(took.count()));
    EXPECT_LT(took.count(), 2) << "a few hundredths, where nobody else uses the GPU";
    EXPECT_EQ(probe.name, device_.name);
    EXPECT_EQ(probe.multiprocessors, device_.multiprocessors);
    EXPECT_EQ(probe.cache_bytes, static_cast<double>(device_.l2_bytes));
    EXPECT_GT(probe.cache_rate, 0);
    EXPECT_GT(probe.copy_rate, 0);
    EXPECT_GT(probe.loop_launch_seconds, 2e-7);
    EXPECT_GT(probe.graph_launch_seconds, 1e-7);
}

/// Others may use the GPU meanwhile.
TEST_F(ThisProbe, AgreesWithTheCarriedProfile) {
    if (device_.name != probe_of_h200().name) GTEST_SKIP() << "there is no profile of " << device_.name;
    const Probe probe = cuda::measure_probe();
    for (const auto rate : {&Probe::read_rate, &Probe::copy_rate, &Probe::triad_rate, &Probe::cache_rate}) {
        EXPECT_GT(probe.*rate, 0.1 * (probe_of_h200().*rate));
        EXPECT_LT(probe.*rate, 1.2 * (probe_of_h200().*rate));
    }
}

TEST_F(ThisProbe, IsThatOfAProfileWhereThereIsOne) {
    if (device_.name != probe_of_h200().name) GTEST_SKIP() << "there is no profile of " << device_.name;
    const Gpu gpu = cuda::gpu_to_choose_for(8);
    const double measured = measured_gpu(8).tuning.memory.read_bytes_per_s;
    EXPECT_NEAR(gpu.tuning.memory.read_bytes_per_s, measured, 0.1 * measured);
    EXPECT_EQ(&cuda::this_probe(), &cuda::this_probe()) << "once a process";
}

}  // namespace
}  // namespace tilespmv::testing
