#include "kernels/csr_hub/hubs.hpp"

#include <gtest/gtest.h>

#include <omp.h>

#include <vector>

namespace tilespmv::testing {
namespace {

using cuda::choose_hubs;
using cuda::HubLimits;

/// Column c has counts[c] nonzeros, spread over the rows.
std::vector<index_t> columns_of(std::vector<int> counts) {
    std::vector<index_t> cols;
    for (bool more = true; more;) {
        more = false;
        for (std::size_t c = 0; c < counts.size(); ++c) {
            if (counts[c]-- <= 0) continue;
            cols.push_back(static_cast<index_t>(c));
            more = true;
        }
    }
    return cols;
}

TEST(Hubs, AreTheColumnsOfMostNonzerosInAscendingOrder) {
    const auto cols = columns_of({5, 0, 9, 1, 9, 7});
    EXPECT_EQ(choose_hubs(cols, 6, {.max_hubs = 3}), (Buffer<index_t>{2, 4, 5}));
    EXPECT_EQ(choose_hubs(cols, 6, {.max_hubs = 1}), (Buffer<index_t>{2})) << "of two with 9 the first";
    EXPECT_EQ(choose_hubs(cols, 6, {.max_hubs = 100}), (Buffer<index_t>{0, 2, 3, 4, 5})) << "empty columns are none";
    EXPECT_TRUE(choose_hubs(cols, 6, {.max_hubs = 0}).empty());
    EXPECT_TRUE(choose_hubs({}, 0, {.max_hubs = 5}).empty());
}

TEST(Hubs, HaveTheNonzerosThatRepayThem) {
    const auto cols = columns_of({5, 0, 9, 1, 9, 7});
    EXPECT_EQ(choose_hubs(cols, 6, {.max_hubs = 10, .min_count = 7}), (Buffer<index_t>{2, 4, 5}));
    EXPECT_EQ(choose_hubs(cols, 6, {.max_hubs = 10, .min_count = 8}), (Buffer<index_t>{2, 4}));
    EXPECT_EQ(choose_hubs(cols, 6, {.max_hubs = 10, .min_count = 7, .min_nonzeros = 25}), (Buffer<index_t>{2, 4, 5}));
    EXPECT_TRUE(choose_hubs(cols, 6, {.max_hubs = 10, .min_count = 7, .min_nonzeros = 26}).empty());
}

TEST(Hubs, DoNotDependOnTheNumberOfThreads) {
    std::vector<int> counts;
    for (int c = 0; c < 20'000; ++c) counts.push_back(c * 7919 % 13);
    const auto cols = columns_of(counts);
    const int threads = omp_get_max_threads();
    const HubLimits limits{.max_hubs = 3000, .sampled = 30'000};
    omp_set_num_threads(1);
    const auto by_one = choose_hubs(cols, 20'000, limits);
    for (const int more : {3, 16}) {
        omp_set_num_threads(more);
        EXPECT_EQ(choose_hubs(cols, 20'000, limits), by_one) << more;
    }
    omp_set_num_threads(threads);
    EXPECT_EQ(by_one.size(), 3000u);
}

TEST(Hubs, OfASampleAreThoseOfAll) {
    std::vector<int> counts(1000, 10);
    for (const int hub : {3, 500, 999}) counts[hub] = 20'000;
    const auto cols = columns_of(counts);
    const Buffer<index_t> expected{3, 500, 999};
    EXPECT_EQ(choose_hubs(cols, 1000, {.max_hubs = 50, .min_count = 1000}), expected);
    EXPECT_EQ(choose_hubs(cols, 1000, {.max_hubs = 50, .min_count = 1000, .sampled = 5000}), expected);
    EXPECT_EQ(choose_hubs(cols, 1000, {.max_hubs = 50, .min_count = 2, .sampled = 5000}), expected)
        << "a column that a sample met by chance is none";
    EXPECT_FALSE(choose_hubs(cols, 1000, {.max_hubs = 50, .min_nonzeros = 55'000, .sampled = 5000}).empty())
        << "counts stand for all nonzeros";
}

TEST(Hubs, LimitsFollowTheGpu) {
    const cuda::HubTuning tuning{.gather_bytes = 32, .copy_percent = 200, .min_nonzeros = 1234};
    const auto limits = cuda::hub_limits(5000, 8, 132, tuning);
    EXPECT_EQ(limits.max_hubs, 5000);
    EXPECT_EQ(limits.min_count, 66);
    EXPECT_EQ(limits.min_nonzeros, 1234);
    EXPECT_EQ(cuda::hub_limits(5000, 4, 132, tuning).min_count, 33);
    EXPECT_EQ(cuda::hub_limits(5000, 2, 1, tuning).min_count, 2);
}

}  // namespace
}  // namespace tilespmv::testing
