#include "bench/harness/repeats.hpp"

#include <gtest/gtest.h>

#include "tests/bench/fake_device.hpp"

namespace tilespmv::bench {
namespace {

TEST(SecondsOfRepeat, LeaveOutWhatAStretchCostsByItself) {
    FakeStopwatch watch;
    FakeDevice device(watch);
    const auto work = [&] { watch.pass(3e-6); };
    EXPECT_NEAR(seconds_of_repeat(device, work, {}), 3e-6, 1e-12);
    EXPECT_EQ(device.records, 0);

    // In a graph, whose launch costs 10 us.
    class GraphDevice final : public Device {
    public:
        explicit GraphDevice(FakeStopwatch& watch) : watch_(watch) {}
        [[nodiscard]] Backend backend() const override { return Backend::cuda; }
        [[nodiscard]] std::string_view name() const override { return "graphs"; }
        Stopwatch& stopwatch() override { return watch_; }
        const Bandwidth& bandwidth() override { return bandwidth_; }
        [[nodiscard]] std::size_t cache_bytes() const override { return 1; }
        void flush_cache() override {}
        [[nodiscard]] std::function<void()> record(const std::function<void()>& what) override {
            ++records;
            return [this, what] {
                watch_.pass(1e-5);
                what();
            };
        }
        int records = 0;

    private:
        FakeStopwatch& watch_;
        Bandwidth bandwidth_;
    };
    GraphDevice graphs(watch);
    EXPECT_NEAR(seconds_of_repeat(graphs, work, {.in_graph = true}), 3e-6, 1e-12);
    EXPECT_EQ(graphs.records, 2);
}

TEST(SecondsOfRepeat, AreNotDrawnToOneSlowStretch) {
    FakeStopwatch watch;
    FakeDevice device(watch);
    int runs = 0;
    const auto work = [&] { watch.pass(++runs == 500 ? 1e-2 : 3e-6); };
    EXPECT_NEAR(seconds_of_repeat(device, work, {}), 3e-6, 1e-12);
    EXPECT_GT(runs, 500);
}

TEST(SecondsOfRepeat, RepeatsLongWorkLittle) {
    FakeStopwatch watch;
    FakeDevice device(watch);
    int runs = 0;
    const auto work = [&] {
        watch.pass(0.1);
        ++runs;
    };
    EXPECT_NEAR(seconds_of_repeat(device, work, {}), 0.1, 1e-9);
    EXPECT_LE(runs, 15);
}

TEST(SecondsOfRepeat, ArePositiveWhateverTheClockSays) {
    FakeStopwatch watch;
    FakeDevice device(watch);
    EXPECT_GT(seconds_of_repeat(device, [] {}, {}), 0);
}

}  // namespace
}  // namespace tilespmv::bench
