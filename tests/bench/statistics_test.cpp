#include "bench/harness/statistics.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <random>

#include <gmock/gmock.h>

namespace tilespmv::bench {
namespace {

using testing::DoubleEq;
using testing::DoubleNear;
using testing::ElementsAre;

std::vector<double> one_to(int n) {
    std::vector<double> samples(n);
    std::iota(samples.begin(), samples.end(), 1.0);
    std::shuffle(samples.begin(), samples.end(), std::mt19937(7));
    return samples;
}

TEST(Statistics, QuartilesOfKnownSamples) {
    const Summary s = summarize(std::vector<double>{4, 1, 3, 2});
    EXPECT_EQ(s.count, 4u);
    EXPECT_DOUBLE_EQ(s.min, 1);
    EXPECT_DOUBLE_EQ(s.lower_quartile, 1.75);
    EXPECT_DOUBLE_EQ(s.median, 2.5);
    EXPECT_DOUBLE_EQ(s.upper_quartile, 3.25);
    EXPECT_DOUBLE_EQ(s.max, 4);
    EXPECT_DOUBLE_EQ(s.spread(), 1.5 / 2.5);
}

TEST(Statistics, OneOutlierDoesNotMoveTheMedian) {
    const Summary s = summarize(std::vector<double>{10, 11, 9, 10, 1000});
    EXPECT_DOUBLE_EQ(s.median, 10);
}

// Ranks from tables of the binomial distribution: P(X <= 0 | 6) = 0.0156, P(X <= 1 | 9) = 0.0195, P(X <= 5 | 20) =
// 0.0207.
TEST(Statistics, IntervalOfTheMedianFollowsTheBinomialDistribution) {
    for (const auto& [n, low] : {std::pair{6, 1}, {8, 1}, {9, 2}, {20, 6}, {1000, 469}}) {
        const Summary s = summarize(one_to(n));
        EXPECT_DOUBLE_EQ(s.low, low) << n;
        EXPECT_DOUBLE_EQ(s.high, n + 1 - low) << n;
    }
}

TEST(Statistics, FewerThanSixSamplesGiveNoInterval) {
    const Summary s = summarize(one_to(5));
    EXPECT_TRUE(std::isinf(s.low) && std::isinf(s.high));
    EXPECT_TRUE(std::isinf(s.noise()));
}

TEST(Statistics, IntervalCoversTheTrueMedianAsOftenAsItSays) {
    std::mt19937 random(1);
    std::exponential_distribution<double> draw(std::log(2.0));  // median 1
    int covered = 0;
    for (int trial = 0; trial < 2000; ++trial) {
        std::vector<double> samples(25);
        for (double& s : samples) s = draw(random);
        const Summary s = summarize(samples);
        covered += s.low <= 1 && 1 <= s.high;
    }
    EXPECT_GE(covered, 1890);
    EXPECT_LE(covered, 1960);
}

TEST(Statistics, NoiseIsHalfTheIntervalOverTheMedian) {
    EXPECT_THAT(summarize(one_to(20)).noise(), DoubleNear((15 - 6) / (2 * 10.5), 1e-12));
    EXPECT_DOUBLE_EQ(summarize(std::vector<double>(10, 3.0)).noise(), 0);
}

TEST(Statistics, NoSamples) {
    const Summary s = summarize({});
    EXPECT_EQ(s.count, 0u);
    EXPECT_EQ(s.median, 0);
    EXPECT_TRUE(std::isinf(s.noise()));
}

TEST(Statistics, RatiosArePairedRoundByRound) {
    EXPECT_THAT(paired_ratios(std::vector<double>{2, 9, 8}, std::vector<double>{1, 3}), ElementsAre(2, 3));
}

TEST(Statistics, GeometricMean) {
    EXPECT_THAT(geometric_mean(std::vector<double>{0.5, 8}), DoubleEq(2));
    EXPECT_EQ(geometric_mean({}), 0);
}

}  // namespace
}  // namespace tilespmv::bench
