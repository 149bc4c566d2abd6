// Predictions and sizes of work on GPUs that nobody has measured, by what they say of themselves.
#include <algorithm>

#include <gtest/gtest.h>

#include "selector/auto/features_of.hpp"
#include "selector/auto/rank_operators.hpp"
#include "selector/work_sizes.hpp"
#include "tile/generate/generate.hpp"

namespace tilespmv {
namespace {

constexpr double kSmallCache = 6 << 20;
constexpr double kRateOfH200 = 4.917e12;  ///< by 3,201 MHz and 6,144 bits
constexpr GpuFigures kH200{90, 132, 64, 60 << 20, kRateOfH200};

MatrixFeatures features_of_generated(const char* specification) {
    return features_of(pattern_of(generate<double>(specification)));
}

std::vector<RankedOperator> rank_on(const GpuFigures& figures, const MatrixFeatures& features) {
    return rank_operators({.features = features, .gpu = gpu_of(figures, 8)});
}

const RankedOperator& find(const std::vector<RankedOperator>& ranked, std::string_view specification) {
    return *std::ranges::find(ranked, specification, &RankedOperator::specification);
}

GpuFigures with_small_cache() {
    GpuFigures small = kH200;
    small.l2_bytes = kSmallCache;
    return small;
}

TEST(OtherGpus, HaveTheRatesThatTheirFiguresSay) {
    const MemoryTuning h200 = measured_gpu(8).tuning.memory;
    const MemoryTuning same = gpu_of(kH200, 8).tuning.memory;
    EXPECT_EQ(same.read_bytes_per_s, h200.read_bytes_per_s);
    EXPECT_EQ(same.copy_bytes_per_s, h200.copy_bytes_per_s);
    EXPECT_EQ(same.l2_bytes_per_s, h200.l2_bytes_per_s);
    const MemoryTuning half = gpu_of({89, 66, 48, kSmallCache, kRateOfH200 / 2}, 8).tuning.memory;
    EXPECT_DOUBLE_EQ(half.read_bytes_per_s, h200.read_bytes_per_s / 2);
    EXPECT_DOUBLE_EQ(half.copy_bytes_per_s, h200.copy_bytes_per_s / 2);
    EXPECT_DOUBLE_EQ(half.l2_bytes_per_s, h200.l2_bytes_per_s / 2);
    EXPECT_EQ(half.l2_bytes, kSmallCache);
    EXPECT_EQ(half.launch_seconds, h200.launch_seconds);
    const MemoryTuning unknown = gpu_of({89, 132, 48, kSmallCache, 0}, 8).tuning.memory;
    EXPECT_EQ(unknown.read_bytes_per_s, h200.read_bytes_per_s) << "of a driver that says nothing of its memory";
    EXPECT_EQ(unknown.copy_bytes_per_s, h200.copy_bytes_per_s);
}

TEST(OtherGpus, HalfTheBandwidthCostsWhatTheMatrixTakesToRead) {
    GpuFigures slow = kH200;
    slow.memory_bytes_per_s /= 2;
    const auto ratio = [&](const char* matrix) {
        const auto features = features_of_generated(matrix);
        return find(rank_on(slow, features), "csr-merge").seconds / find(rank_on(kH200, features), "csr-merge").seconds;
    };
    EXPECT_GT(ratio("laplace2d:n=1500"), 1.5) << "180 MB of CSR, x and y";
    EXPECT_LE(ratio("laplace2d:n=1500"), 2);
    EXPECT_LT(ratio("laplace2d:n=30"), 1.1) << "a launch";
}

TEST(OtherGpus, MatricesStayInTheirOwnCacheOnly) {
    const auto memory_seconds_of = [](const GpuFigures& figures, const char* matrix) {
        auto ranked = rank_on(figures, features_of_generated(matrix));
        return of(ranked.front().work, Term::memory);
    };
    const auto& rates = measured_gpu(8).tuning.memory;
    EXPECT_NEAR(memory_seconds_of(with_small_cache(), "laplace2d:n=500") / memory_seconds_of(kH200, "laplace2d:n=500"),
                rates.l2_bytes_per_s / rates.read_bytes_per_s, 1e-9)
        << "24 MB";
    EXPECT_EQ(memory_seconds_of(with_small_cache(), "laplace2d:n=200"), memory_seconds_of(kH200, "laplace2d:n=200"));
}

TEST(OtherGpus, XThatDoesNotFitTheirCacheCostsMore) {
    const auto gathers_part = [&](const GpuFigures& figures, const MatrixFeatures& f) {
        const auto ranked = rank_on(figures, f);
        RankedOperator one = find(ranked, "csr-merge");
        return one.seconds - of(one.work, Term::memory) * cost_of(gpu_costs(), "csr-merge", f.sizes()).seconds[1];
    };
    const auto wide = features_of_generated("uniform:n=1000000,per_row=8");  // x of 8 MB
    const auto narrow = features_of_generated("uniform:n=100000,per_row=8");
    EXPECT_GT(gathers_part(with_small_cache(), wide), 1.02 * gathers_part(kH200, wide));
    EXPECT_NEAR(gathers_part(with_small_cache(), narrow), gathers_part(kH200, narrow), 1e-12);
}

TEST(OtherGpus, WorkIsDividedByTheirMultiprocessors) {
    const Gpu h200 = measured_gpu(8);
    const Gpu small = gpu_of({75, 40, 32, kSmallCache}, 8);
    EXPECT_EQ(small.multiprocessors, 40);
    EXPECT_EQ(dense_run_tiles(40 * 32 * 20, small), dense_run_tiles(132 * 32 * 20, h200));
    EXPECT_GT(dense_run_tiles(40 * 32 * 20, small), dense_run_tiles(40 * 32 * 20, h200));
    EXPECT_EQ(merge_items(200'000, small.tuning.merge), h200.tuning.merge.items);
    EXPECT_EQ(merge_items(200'000, h200.tuning.merge), h200.tuning.merge.items_of_few);
    const auto most_slots = [](const Gpu& gpu) { return strip_sizes(16 * 500, 16 * 500 * 60, gpu).max_slots; };
    EXPECT_GT(most_slots(small), most_slots(h200)) << "500 tile rows keep 40 multiprocessors busy";
    EXPECT_EQ(slot_limits(40 * 32 * 2 * 300, 100, small).item_values, 300);
}

}  // namespace
}  // namespace tilespmv
