#include "bench/harness/sampling.hpp"

#include <stdexcept>
#include <string>
#include <utility>

#include <gmock/gmock.h>

#include "tests/bench/fake_device.hpp"

namespace tilespmv::bench {
namespace {

using testing::ElementsAre;
using testing::SizeIs;

constexpr StoppingRule kRule{.min_samples = 8, .max_samples = 100, .min_seconds = 1, .max_seconds = 50, .noise = 0.01};

class Sampling : public testing::Test {
protected:
    // Work that takes the given times in turn, over and over.
    Workload work(std::vector<double> seconds) {
        auto next = std::make_shared<std::size_t>(0);
        return {.run = [this, next, seconds] { watch_.pass(seconds[(*next)++ % seconds.size()]); },
                .stopwatch = &watch_};
    }
    Timing sample(const Workload& workload, const StoppingRule& rule = kRule) {
        return sample_in_turn(std::span(&workload, 1), rule).front();
    }

    FakeStopwatch watch_;
};

TEST_F(Sampling, SteadyWorkStopsAtTheLeastNumberOfSamples) {
    const Timing t = sample(work({0.5}));
    EXPECT_THAT(t.seconds, SizeIs(8));
    EXPECT_TRUE(t.converged);
}

TEST_F(Sampling, ShortWorkGoesOnForTheLeastTime) {
    const Timing t = sample(work({0.0625}));
    EXPECT_THAT(t.seconds, SizeIs(16));
    EXPECT_TRUE(t.converged);
}

TEST_F(Sampling, NoisyWorkEndsAtTheTimeLimitAndSaysSo) {
    const Timing t = sample(work({1, 2}));
    EXPECT_THAT(t.seconds, SizeIs(34));  // 17 * 3 >= 50
    EXPECT_FALSE(t.converged);
}

TEST_F(Sampling, NoisyWorkEndsAtTheSampleLimitAndSaysSo) {
    const Timing t = sample(work({0.1, 0.2}));
    EXPECT_THAT(t.seconds, SizeIs(100));
    EXPECT_FALSE(t.converged);
}

TEST_F(Sampling, NoiseBoundIsReachedWhenTheIntervalIsNarrowEnough) {
    // One sample in five is slow: the interval of the median closes over the fast ones once there are enough samples.
    StoppingRule rule = kRule;
    rule.min_samples = 6;
    rule.min_seconds = 0;
    const Timing t = sample(work({2, 1, 1, 1, 1}), rule);
    EXPECT_TRUE(t.converged);
    EXPECT_GT(t.seconds.size(), 6u);
    EXPECT_LT(t.seconds.size(), 30u);
}

TEST_F(Sampling, PrepareIsNotTimedButCountsTowardsTheLimit) {
    Workload w = work({1, 2});
    w.prepare = [&] { watch_.pass(10); };
    const Timing t = sample(w);
    EXPECT_THAT(t.seconds, ElementsAre(1, 2, 1, 2, 1));  // 55 seconds in all
}

TEST_F(Sampling, SampleIsTheTimePerCallOfABatch) {
    Workload w = work({1, 3});
    w.batch = 4;
    const Timing t = sample(w);
    EXPECT_EQ(t.batch, 4);
    EXPECT_THAT(t.seconds, testing::Each(2));
}

TEST_F(Sampling, BatchGrowsUntilItIsLongEnough) {
    EXPECT_EQ(calibrate_batch(work({0.001}), 0.01), 16);
    EXPECT_EQ(calibrate_batch(work({0.5}), 0.01), 1);
    EXPECT_EQ(calibrate_batch(work({0.25}), 1), 4) << "exactly long enough";
    EXPECT_EQ(calibrate_batch(work({0}), 0), 1);
    EXPECT_EQ(calibrate_batch(work({0}), 1), 1 << 20) << "the longest there is";
}

TEST_F(Sampling, WorkloadsAreSampledInTurnUntilTheLastIsDone) {
    std::string order;
    const auto logged = [&](char name, Workload w) {
        return Workload{.run = [&order, name, run = w.run] { order += name, run(); }, .stopwatch = &watch_};
    };
    const auto noisy = [&] { return work({1, 1, 1, 1, 2}); };
    for (const auto& [first, second] : {std::pair{work({1}), noisy()}, {noisy(), work({1})}}) {
        order.clear();
        const std::vector<Workload> all{logged('a', first), logged('b', second)};
        const auto timings = sample_in_turn(all, kRule);
        EXPECT_EQ(timings[0].seconds.size(), timings[1].seconds.size());
        EXPECT_GT(timings[0].seconds.size(), 8u);
        for (std::size_t i = 0; i < order.size(); ++i) EXPECT_EQ(order[i], i % 2 ? 'b' : 'a');
    }
}

TEST_F(Sampling, WorkloadsMayStopEachByItself) {
    StoppingRule rule = kRule;
    rule.together = false;
    const std::vector<Workload> all{work({1}), work({1, 1, 1, 1, 2})};
    const auto timings = sample_in_turn(all, rule);
    EXPECT_EQ(timings[0].seconds, sample(work({1})).seconds);
    EXPECT_GT(timings[1].seconds.size(), timings[0].seconds.size());
}

TEST_F(Sampling, WorkThatThrowsDropsOutAndTheOthersGoOn) {
    for (const int last : {1, 3, 8}) {  // 8: that of the last round of the others
        int calls = 0;
        const Workload broken{.run =
                                  [&] {
                                      if (++calls == last) throw std::runtime_error("out of paper");
                                      watch_.pass(1);
                                  },
                              .stopwatch = &watch_};
        const std::vector<Workload> all{broken, work({1})};
        const auto timings = sample_in_turn(all, kRule);
        EXPECT_EQ(timings[0].error, "out of paper");
        EXPECT_EQ(calls, last);
        EXPECT_THAT(timings[1].seconds, SizeIs(8));
        EXPECT_EQ(timings[1].error, "");
    }
}

TEST_F(Sampling, NothingToSample) { EXPECT_TRUE(sample_in_turn({}, kRule).empty()); }

}  // namespace
}  // namespace tilespmv::bench
