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

/// By the noise within one run a side alone.
std::vector<Comparison> compare_two(const ResultSet& first, const ResultSet& second, double effect,
                                    Mode mode = Mode::warm) {
    return compare(std::vector{first}, std::vector{second}, {.smallest_effect = effect, .mode = mode});
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
    EXPECT_EQ(compare_two(first, second, kEffect, Mode::graph)[0].reason, "not measured in the second");
    EXPECT_EQ(compare_two(second, first, kEffect, Mode::graph)[0].reason, "not measured in the first");
    second.results[0].graph.seconds.assign(10, 3.0);
    EXPECT_EQ(compare_two(first, second, kEffect, Mode::graph)[0].verdict, Verdict::slower);
    EXPECT_EQ(compare_two(first, second, kEffect, Mode::graph)[0].second_seconds, 3);
    EXPECT_EQ(compare_two(first, second, kEffect)[0].verdict, Verdict::same);
    second.results[0].pattern_values = "ones";
    EXPECT_EQ(compare_two(first, second, kEffect)[0].reason, "of other values (--pattern-values)");
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

    const auto all = compare_two(first, second, kEffect);
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

TEST(CompareRuns, IntervalCoversTheTrueRatioAsOftenAsItSays) {
    std::mt19937 random(1);
    std::normal_distribution<double> draw(0, 0.1);
    const auto medians = [&](double median, std::size_t runs) {
        std::vector<double> all(runs);
        for (double& one : all) one = median * std::exp(draw(random));
        return all;
    };
    for (const auto& [before, after] : {std::pair(1U, 2U), std::pair(2U, 2U), std::pair(3U, 5U), std::pair(40U, 3U)}) {
        int covered = 0;
        for (int trial = 0; trial < 4000; ++trial) {
            const TimeRatio r = time_ratio_of_runs(medians(1, before), medians(3, after));
            covered += r.low <= 3 && 3 <= r.high;
        }
        EXPECT_NEAR(covered, 0.95 * 4000, 60) << before << " and " << after << " runs";
    }
}

ResultSet run_of(const std::vector<std::pair<std::string, double>>& medians, unsigned seed) {
    ResultSet set;
    for (const auto& [operator_name, median] : medians) {
        Result result = sample_result("a", noisy_timing(median, 0.005, 60, ++seed).seconds);
        result.id.operator_name = operator_name;
        set.put(result);
    }
    return set;
}

/// Runs of one program that differ by more than the noise within them, as those of another day do.
TEST(CompareRuns, SeveralRunsASideShowHowMuchTheyDiffer) {
    const auto run = [](double factor, unsigned seed) { return run_of({{"tile-omp", factor}}, seed); };
    const CompareRules rules{.smallest_effect = kEffect};
    EXPECT_EQ(compare({run(1.5, 1)}, {run(1, 2)}, rules)[0].verdict, Verdict::faster) << "what one run says";
    const auto same = compare({run(1.5, 1), run(1.1, 2)}, {run(1, 3), run(1.3, 4)}, rules)[0];
    EXPECT_EQ(same.verdict, Verdict::unclear);
    EXPECT_TRUE(same.is_of_runs);
    EXPECT_FALSE(same.witness);
    EXPECT_NEAR(same.first_seconds, std::sqrt(1.5 * 1.1), 0.01);
    EXPECT_EQ(compare({run(1.5, 1), run(1.51, 2)}, {run(1, 3), run(1.01, 4)}, rules)[0].verdict, Verdict::faster);
    EXPECT_EQ(compare({run(1, 1)}, {run(1.5, 2), run(1.5, 3), run(1.51, 4)}, rules)[0].verdict, Verdict::slower);
    EXPECT_EQ(compare({run(1, 1), run(1.01, 5)}, {run(1.01, 2), run(1, 3), run(1.005, 4)}, rules)[0].verdict,
              Verdict::same);
    ResultSet wrong = run(1, 6);
    wrong.results[0].status = Status::wrong;
    EXPECT_EQ(compare({run(1, 1), wrong}, {run(1, 2)}, rules)[0].reason, "wrong in the first");
    EXPECT_EQ(compare({run(1, 1), run(1, 7)}, {run(1, 2), wrong}, rules)[0].reason, "wrong in the second");
}

/// tile-omp, csr-omp of a second run in units of the first, each 1 there.
struct OperatorTimes {
    double tiles, csr;
};
std::vector<Comparison> with_witness(const OperatorTimes& change, const std::string& witness) {
    return compare({run_of({{"tile-omp", 1}, {"csr-omp", 1}}, 10)},
                   {run_of({{"tile-omp", change.tiles}, {"csr-omp", change.csr}}, 20)},
                   {.smallest_effect = kEffect, .witnesses = {witness}});
}

TEST(CompareWitness, MustAgree) {
    const auto verdict_of_tiles = [](const OperatorTimes& change) {
        return with_witness(change, "csr-omp")[0].verdict;
    };
    EXPECT_EQ(verdict_of_tiles({0.68, 1}), Verdict::faster);
    EXPECT_EQ(verdict_of_tiles({0.68, 0.68}), Verdict::unclear) << "the whole run was faster";
    EXPECT_EQ(verdict_of_tiles({1, 0.68}), Verdict::unclear) << "slower than the rest of the run";
    EXPECT_EQ(verdict_of_tiles({1, 1}), Verdict::same);
    EXPECT_EQ(verdict_of_tiles({1, 1.048}), Verdict::same) << "nothing else is sure";
    EXPECT_EQ(verdict_of_tiles({0.94, 0.98}), Verdict::unclear) << "faster by itself alone";
    EXPECT_EQ(verdict_of_tiles({1.5, 0.98}), Verdict::slower);
    EXPECT_EQ(verdict_of_tiles({1.5, 1.5}), Verdict::unclear);
}

TEST(CompareWitness, IsComparedWithWhatItMustBe) {
    const auto unchanged = with_witness({0.68, 1}, "csr");
    EXPECT_EQ(unchanged[1].verdict, Verdict::same);
    EXPECT_NEAR(unchanged[0].witness->median, 1, 0.01);
    const auto changed = with_witness({1, 1.5}, "csr-omp");
    EXPECT_EQ(changed[1].verdict, Verdict::unclear) << "and not slower";
    EXPECT_NEAR(changed[0].witness->median, 1.5, 0.02);
    EXPECT_FALSE(with_witness({0.68, 0.68}, "other")[0].witness);
    EXPECT_EQ(with_witness({0.68, 0.68}, "other")[0].verdict, Verdict::faster);
}

TEST(CompareWitness, IsThatOfTheSameMatrixValuesAndDevice) {
    auto first = run_of({{"tile-omp", 1}, {"csr-omp", 1}}, 1),
         second = run_of({{"tile-omp", 0.5}, {"csr-omp", 0.5}}, 9);
    const CompareRules rules{.smallest_effect = kEffect, .witnesses = {"csr-omp"}};
    const auto of_tiles = [&](auto&& change) {
        for (ResultSet* set : {&first, &second}) change(set->results[1].id);
        return compare({first}, {second}, rules)[0];
    };
    EXPECT_EQ(of_tiles([](CaseId&) {}).verdict, Verdict::unclear);
    EXPECT_FALSE(of_tiles([](CaseId& id) { id.values = "float32"; }).witness);
    EXPECT_FALSE(of_tiles([](CaseId& id) { id.values = "float64", id.matrix = "b"; }).witness);
    EXPECT_FALSE(of_tiles([](CaseId& id) { id.matrix = "a", id.threads = 64; }).witness);
}

/// Of the run that has the case, where a side has several.
TEST(CompareWitness, IsThatOfTheSameRun) {
    const auto other = run_of({{"csr-omp", 7}}, 1);
    const auto verdict_with = [&](double tiles, double csr) {
        return compare({other, run_of({{"tile-omp", 1}, {"csr-omp", 1}}, 3)},
                       {run_of({{"tile-omp", tiles}, {"csr-omp", csr}}, 5)},
                       {.smallest_effect = kEffect, .witnesses = {"csr-omp"}})
            .at(1);
    };
    EXPECT_EQ(verdict_with(0.5, 1).id.operator_name, "tile-omp");
    EXPECT_EQ(verdict_with(0.5, 1).verdict, Verdict::faster);
    EXPECT_EQ(verdict_with(0.5, 0.5).verdict, Verdict::unclear);
}

TEST(CompareWitness, AreTheBaselinesThatAllRunsHave) {
    auto first = run_of({{"tile-omp", 1}, {"csr-omp", 1}}, 1), second = first;
    const auto over = [](const char* baseline) { return Speedup{.baseline = baseline, .against = baseline}; };
    for (Result& result : first.results) result.speedups = {over("csr-omp"), over("tile-omp")};
    for (Result& result : second.results) result.speedups = {over("csr-omp")};
    EXPECT_EQ(common_baselines({first}, {second}), std::vector<std::string>{"csr-omp"});
    EXPECT_EQ(common_baselines({first, second}, {first}), std::vector<std::string>{"csr-omp"});
    EXPECT_EQ(common_baselines({first}, {first}).size(), 2U);
    second.results[0].speedups.clear();
    second.results[1].speedups.clear();
    EXPECT_TRUE(common_baselines({first}, {second}).empty());
}

}  // namespace
}  // namespace tilespmv::bench
