#include "bench/harness/compare.hpp"

#include <random>

#include <gtest/gtest.h>

#include "tests/bench/sample_results.hpp"

namespace tilespmv::bench {
namespace {

constexpr double kEffect = 0.05;

// n times about `median`, with a long tail towards slow ones.
Timing noisy_timing(double median, double noise, int n, unsigned seed) {
    std::mt19937 random(seed);
    std::lognormal_distribution<double> draw(std::log(median), noise);
    Timing t;
    for (int i = 0; i < n; ++i) t.seconds.push_back(draw(random));
    return t;
}

Verdict verdict(const Timing& first, const Timing& second) { return decide(time_ratio(first, second), kEffect); }

TEST(Compare, WholeIntervalDecides) {
    EXPECT_EQ(decide({.median = 0.8, .low = 0.7, .high = 0.95}, kEffect), Verdict::faster);
    EXPECT_EQ(decide({.median = 0.8, .low = 0.7, .high = 0.96}, kEffect), Verdict::unclear);
    EXPECT_EQ(decide({.median = 1.2, .low = 1.06, .high = 1.4}, kEffect), Verdict::slower);
    EXPECT_EQ(decide({.median = 1.2, .low = 1.04, .high = 1.4}, kEffect), Verdict::unclear);
    EXPECT_EQ(decide({.median = 1, .low = 0.96, .high = 1.04}, kEffect), Verdict::same);
    EXPECT_EQ(decide({.median = 1, .low = 0.94, .high = 1.04}, kEffect), Verdict::unclear);
    EXPECT_EQ(decide({.median = 1, .low = 0.96, .high = 1.06}, kEffect), Verdict::unclear);
}

TEST(Compare, AnEndAtTheBorderIsNoEffect) {
    EXPECT_EQ(decide({.median = 0.7, .low = 0.6, .high = 0.8}, 0.25), Verdict::unclear);
    EXPECT_EQ(decide({.median = 1.3, .low = 1.25, .high = 1.4}, 0.25), Verdict::unclear);
    EXPECT_EQ(decide({.median = 1, .low = 0.8, .high = 1.25}, 0.25), Verdict::same);
}

TEST(Compare, ManySamplesDecide) {
    const Timing base = noisy_timing(1e-3, 0.05, 100, 1);
    EXPECT_EQ(verdict(base, noisy_timing(0.80e-3, 0.05, 100, 2)), Verdict::faster);
    EXPECT_EQ(verdict(base, noisy_timing(1.25e-3, 0.05, 100, 3)), Verdict::slower);
    EXPECT_EQ(verdict(base, noisy_timing(1.00e-3, 0.05, 100, 4)), Verdict::same);
}

TEST(Compare, NoiseLargerThanTheDifferenceIsUnclear) {
    EXPECT_EQ(verdict(noisy_timing(1, 0.3, 12, 1), noisy_timing(1.1, 0.3, 12, 2)), Verdict::unclear);
}

TEST(Compare, DifferenceThatIsSureButTooSmallIsSame) {
    EXPECT_EQ(verdict(noisy_timing(1, 0.001, 50, 1), noisy_timing(1.03, 0.001, 50, 2)), Verdict::same);
}

TEST(Compare, DifferenceAtTheBorderIsUnclear) {
    EXPECT_EQ(verdict(noisy_timing(1, 0.02, 50, 1), noisy_timing(1.05, 0.02, 50, 2)), Verdict::unclear);
}

TEST(Compare, FewSamplesDecideNothing) {
    const Timing few{.seconds = {1, 1, 1, 1, 1}};
    const Timing twice{.seconds = {2, 2, 2, 2, 2, 2, 2}};
    EXPECT_EQ(verdict(few, twice), Verdict::unclear);
    EXPECT_EQ(verdict(twice, few), Verdict::unclear);
}

TEST(Compare, IntervalCoversTheTrueRatioAsOftenAsItSays) {
    int covered = 0;
    for (unsigned trial = 0; trial < 1000; ++trial) {
        const TimeRatio r = time_ratio(noisy_timing(1, 0.1, 40, 2 * trial), noisy_timing(3, 0.05, 25, 2 * trial + 1));
        covered += r.low <= 3 && 3 <= r.high;
    }
    EXPECT_GE(covered, 940);
    EXPECT_LE(covered, 990);
}

TEST(Compare, SwappingTheSidesSwapsTheVerdict) {
    const Timing a = noisy_timing(1, 0.02, 30, 1), b = noisy_timing(2, 0.02, 30, 2);
    EXPECT_EQ(verdict(a, b), Verdict::slower);
    EXPECT_EQ(verdict(b, a), Verdict::faster);
}

// Two runs of the same program are never called different, and seldom anything but the same.
TEST(Compare, FalseAlarmsAreRare) {
    int same = 0, different = 0;
    for (unsigned trial = 0; trial < 300; ++trial) {
        const Verdict v = verdict(noisy_timing(1, 0.05, 60, 2 * trial), noisy_timing(1, 0.05, 60, 2 * trial + 1));
        same += v == Verdict::same;
        different += v == Verdict::faster || v == Verdict::slower;
    }
    EXPECT_EQ(different, 0);
    EXPECT_GT(same, 250);
}

TEST(Compare, TimesOfOneModeDecide) {
    ResultSet first, second;
    first.put(sample_result("a", std::vector<double>(10, 1.0)));
    second.put(sample_result("a", std::vector<double>(10, 1.0)));
    first.results[0].graph.seconds.assign(10, 2.0);
    EXPECT_EQ(compare(first, second, kEffect, Mode::graph)[0].reason, "not measured in the second");
    EXPECT_EQ(compare(second, first, kEffect, Mode::graph)[0].reason, "not measured in the first");
    second.results[0].graph.seconds.assign(10, 3.0);
    EXPECT_EQ(compare(first, second, kEffect, Mode::graph)[0].verdict, Verdict::slower);
    EXPECT_EQ(compare(first, second, kEffect, Mode::graph)[0].second_seconds, 3);
    EXPECT_EQ(compare(first, second, kEffect)[0].verdict, Verdict::same);
    second.results[0].pattern_values = "ones";
    EXPECT_EQ(compare(first, second, kEffect)[0].reason, "of other values (--pattern-values)");
}

TEST(Compare, EveryCaseOfEitherSetIsListed) {
    const std::vector<double> ones(10, 1.0), twos(10, 2.0);
    ResultSet first, second;
    first.put(sample_result("both", twos));
    first.put(sample_result("gone", ones));
    first.put(sample_result("broke", ones));
    second.put(sample_result("new", ones));
    second.put(sample_result("both", ones));
    Result broken = sample_result("broke", {});
    broken.status = Status::wrong;
    second.put(broken);

    const auto all = compare(first, second, kEffect);
    ASSERT_EQ(all.size(), 4u);
    EXPECT_EQ(all[0].verdict, Verdict::faster);
    EXPECT_EQ(all[0].ratio.median, 0.5);
    EXPECT_EQ(all[0].first_seconds, 2);
    EXPECT_EQ(all[0].second_seconds, 1);
    EXPECT_EQ(all[1].reason, "only in the first");
    EXPECT_EQ(all[2].reason, "wrong in the second");
    EXPECT_EQ(all[3].reason, "only in the second");
    EXPECT_EQ(all[3].id.matrix, "new");
    for (int i = 1; i < 4; ++i) EXPECT_EQ(all[i].verdict, Verdict::not_compared);
}

}  // namespace
}  // namespace tilespmv::bench
