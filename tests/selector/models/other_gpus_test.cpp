// Predictions and sizes of work on GPUs that nobody has measured, by what a probe says of them.
#include <algorithm>
#include <cstdlib>

#include <gtest/gtest.h>

#include "selector/models/profile.hpp"
#include "selector/models/profile_file.hpp"
#include "selector/work_sizes.hpp"
#include "tile/generate/generate.hpp"

namespace tilespmv {
namespace {

constexpr double kSmallCache = 6 << 20;

MatrixFeatures features_of_generated(const char* specification) {
    return features_of(pattern_of(generate<double>(specification)));
}

/// What rules predict on the H200 but for some figures.
std::vector<RankedOperator> rank_on(const Probe& probe, const MatrixFeatures& features) {
    return rank_operators(question_on(probe, features));
}

const RankedOperator& find(const std::vector<RankedOperator>& ranked, std::string_view specification) {
    return *std::ranges::find(ranked, specification, &RankedOperator::specification);
}

Probe with_rates_times(double factor) {
    Probe probe = probe_of_h200();
    for (double* const rate : {&probe.read_rate, &probe.copy_rate, &probe.triad_rate, &probe.cache_rate})
        *rate *= factor;
    return probe;
}

TEST(OtherGpus, AreComparedWithTheH200OfTheCarriedProfile) {
    ASSERT_EQ(setenv("XDG_CACHE_HOME", "/nowhere", 1), 0);
    const auto carried = probe_of_profile("NVIDIA H200");
    ASSERT_TRUE(carried);
    const Probe& h200 = probe_of_h200();
    EXPECT_EQ(carried->multiprocessors, h200.multiprocessors);
    EXPECT_EQ(carried->threads, h200.threads);
    EXPECT_EQ(carried->cache_bytes, h200.cache_bytes);
    for (const auto figure : {&Probe::read_rate, &Probe::copy_rate, &Probe::triad_rate, &Probe::cache_rate,
                              &Probe::loop_launch_seconds, &Probe::graph_launch_seconds}) {
        EXPECT_NEAR(*carried.*figure, h200.*figure, 0.01 * h200.*figure)
            << "probe_of_h200() is that of an older profile";
    }
    EXPECT_FALSE(probe_of_profile("NVIDIA H2000"));
}

TEST(OtherGpus, TheH200IsPredictedByItsOwnTimes) {
    const auto features = features_of_generated("laplace2d:n=300");
    const auto by_probe = rank_on(probe_of_h200(), features);
    const auto measured = rank_operators({.features = features, .gpu = measured_gpu(8)});
    ASSERT_EQ(by_probe.size(), measured.size());
    for (std::size_t i = 0; i < measured.size(); ++i) {
        EXPECT_EQ(by_probe[i].specification, measured[i].specification);
        EXPECT_EQ(by_probe[i].seconds, measured[i].seconds) << measured[i].specification;
    }
}

TEST(OtherGpus, HalfOfAGpuTakesTwiceAsLong) {
    Probe half = with_rates_times(0.5);
    half.multiprocessors /= 2;
    half.loop_launch_seconds *= 2;
    for (const char* const matrix : {"laplace2d:n=30", "laplace2d:n=400", "laplace2d:n=1500"}) {
        const auto features = features_of_generated(matrix);
        const auto slow = rank_on(half, features);
        const auto fast = rank_on(probe_of_h200(), features);
        EXPECT_NEAR(find(slow, "csr-merge").seconds, 2 * find(fast, "csr-merge").seconds, 1e-12) << matrix;
    }
}

TEST(OtherGpus, HalfTheBandwidthCostsWhatTheMatrixTakesToRead) {
    const auto large = features_of_generated("laplace2d:n=1500");  // 180 MB of CSR, x and y
    const auto small = features_of_generated("laplace2d:n=30");
    const auto ratio = [](const MatrixFeatures& features) {
        return find(rank_on(with_rates_times(0.5), features), "csr-merge").seconds /
               find(rank_on(probe_of_h200(), features), "csr-merge").seconds;
    };
    EXPECT_GT(ratio(large), 1.6);
    EXPECT_LE(ratio(large), 2);
    EXPECT_LT(ratio(small), 1.1) << "a launch";
}

TEST(OtherGpus, MatricesStayInTheirOwnCacheOnly) {
    Probe small = probe_of_h200();
    small.cache_bytes = kSmallCache;
    const auto memory_seconds_of = [](const Probe& probe, const char* matrix) {
        auto ranked = rank_on(probe, features_of_generated(matrix));
        return of(ranked.front().work, Term::memory);
    };
    const auto& rates = measured_gpu(8).tuning.memory;
    EXPECT_NEAR(memory_seconds_of(small, "laplace2d:n=500") / memory_seconds_of(probe_of_h200(), "laplace2d:n=500"),
                rates.l2_bytes_per_s / rates.read_bytes_per_s, 1e-9)
        << "24 MB";
    EXPECT_EQ(memory_seconds_of(small, "laplace2d:n=200"), memory_seconds_of(probe_of_h200(), "laplace2d:n=200"));
}

TEST(OtherGpus, XThatDoesNotFitTheirCacheCostsMore) {
    Probe small = probe_of_h200();
    small.cache_bytes = kSmallCache;
    const auto gathers_part = [&](const Probe& probe, const MatrixFeatures& f) {
        const auto ranked = rank_on(probe, f);
        RankedOperator one = find(ranked, "csr-merge");
        return one.seconds - of(one.work, Term::memory) * cost_of(gpu_costs(), "csr-merge", f.sizes()).seconds[1];
    };
    const auto wide = features_of_generated("uniform:n=1000000,per_row=8");  // x of 8 MB
    const auto narrow = features_of_generated("uniform:n=100000,per_row=8");
    EXPECT_GT(gathers_part(small, wide), 1.02 * gathers_part(probe_of_h200(), wide));
    EXPECT_NEAR(gathers_part(small, narrow), gathers_part(probe_of_h200(), narrow), 1e-12);
}

TEST(OtherGpus, FewerBytesAreChosenWhereTheCacheIsSmall) {
    Probe small = probe_of_h200();
    small.cache_bytes = kSmallCache;
    const auto features = features_of_generated("kkt:n=150000");  // 20 MB of CSR
    EXPECT_EQ(rank_on(probe_of_h200(), features).front().specification, "csr-vector");
    EXPECT_EQ(rank_on(small, features).front().specification, "csr16");
}

TEST(OtherGpus, WorkIsDividedByTheirMultiprocessors) {
    const Gpu h200 = measured_gpu(8);
    const Gpu small = gpu_of({75, 40, 32, kSmallCache}, 8);
    EXPECT_EQ(small.multiprocessors, 40);
    EXPECT_EQ(small.tuning.memory.l2_bytes, kSmallCache);
    using Team = RowBlockTeam;
    const auto block = [](offset_t nonzeros, const Gpu& gpu) {
        return row_block_limits(nonzeros, Team::kThreads, Team::kNonzeros, gpu).block_nonzeros;
    };
    EXPECT_EQ(block(40 * 16 * 300, small), block(132 * 16 * 300, h200));
    EXPECT_GT(block(40 * 16 * 300, small), block(40 * 16 * 300, h200));
    EXPECT_EQ(merge_items(200'000, small.tuning.merge), h200.tuning.merge.items);
    EXPECT_EQ(merge_items(200'000, h200.tuning.merge), h200.tuning.merge.items_of_few);
    const auto most_slots = [](const Gpu& gpu) { return strip_sizes(16 * 500, 16 * 500 * 60, gpu).max_slots; };
    EXPECT_GT(most_slots(small), most_slots(h200)) << "500 tile rows keep 40 multiprocessors busy";
    EXPECT_EQ(slot_limits(40 * 32 * 2 * 300, 100, small).item_values, 300);
    EXPECT_GT(small.tuning.dia.pair_places, -1);
}

TEST(OtherGpus, WavesAreOfTheirMultiprocessors) {
    const auto features = features_of_generated("laplace2d:n=300");
    Probe small = probe_of_h200();
    small.multiprocessors = 33;
    const Candidate merge = modelled_operator(true, "csr-merge");
    EXPECT_EQ(product_work(merge, features, small).launch_waves,
              4 * product_work(merge, features, probe_of_h200()).launch_waves);
}

}  // namespace
}  // namespace tilespmv
