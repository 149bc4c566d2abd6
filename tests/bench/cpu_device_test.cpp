#include "bench/harness/cpu_device.hpp"

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <string>

#include <gtest/gtest.h>
#include <sys/sysinfo.h>
#include <sys/utsname.h>

#include "bench/harness/machine.hpp"
#include "tile/csr.hpp"
#include "tile/error.hpp"

namespace tilespmv::bench {
namespace {

constexpr std::size_t kMiB = std::size_t{1} << 20;

TEST(CpuDevice, ArraysAreMuchLargerThanTheCacheButLeaveMemoryFree) {
    EXPECT_EQ(bandwidth_array_bytes(100 * kMiB, 100'000 * kMiB), 400 * kMiB);
    EXPECT_EQ(bandwidth_array_bytes(1 * kMiB, 100'000 * kMiB), 192 * kMiB);
    EXPECT_EQ(bandwidth_array_bytes(100 * kMiB, 400 * kMiB), 100 * kMiB);
}

TEST(CpuDevice, PassesReadAndWriteEveryWord) {
    constexpr std::int64_t words = 3 * kBandwidthBlock;
    Buffer<std::uint64_t> numbers(words);
    std::iota(numbers.begin(), numbers.end(), 1u);
    EXPECT_EQ(read_pass(numbers.data(), words), std::uint64_t{words} * (words + 1) / 2);
    Buffer<double> a(words, -1.0);
    Buffer<double> b(words);
    std::iota(b.begin(), b.end(), 1.0);
    copy_pass(a.data(), b.data(), words);
    EXPECT_EQ(a, b);
}

// A stopwatch on which every stretch of work takes one second makes rates equal to bytes.
class OneSecond final : public Stopwatch {
public:
    void start() override {}
    double stop() override { return 1; }
};

TEST(CpuDevice, HasNoGraphs) {
    CpuDevice device;
    EXPECT_THROW(static_cast<void>(device.record([] {})), Error);
}

TEST(CpuDevice, BandwidthCountsTheBytesOfEveryArray) {
    OneSecond watch;
    const Bandwidth b = measure_bandwidth(watch, 24 * kMiB, 2);
    EXPECT_EQ(b.read, 24 * kMiB);
    EXPECT_EQ(b.copy, 24 * kMiB);
}

TEST(CpuDevice, BandwidthIsWithinReason) {
    SteadyStopwatch watch;
    const Bandwidth b = measure_bandwidth(watch, 24 * kMiB, 2);
    for (const double rate : {b.read, b.copy}) {
        EXPECT_GT(rate, 1e8);
        EXPECT_LT(rate, 1e13);
    }
}

TEST(Machine, SaysWhatItIs) {
    const Machine machine = this_machine();
    EXPECT_FALSE(machine.cpu.empty());
    utsname system{};
    ASSERT_EQ(::uname(&system), 0);
    EXPECT_EQ(machine.system, std::string(system.sysname) + ' ' + system.release + ' ' + system.machine);
    struct sysinfo info {};
    ASSERT_EQ(::sysinfo(&info), 0);
    EXPECT_EQ(machine.memory_bytes, std::uint64_t{info.totalram} * info.mem_unit);
    EXPECT_GE(machine.hardware_threads, machine.cores > 0 ? 1 : 2);
    EXPECT_GE(machine.cache_bytes, std::uint64_t{1} << 15);
    EXPECT_GT(machine.memory_bytes, machine.cache_bytes);
}

}  // namespace
}  // namespace tilespmv::bench
