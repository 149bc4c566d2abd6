#include "kernels/operators/sell/hubs.hpp"

#include <gtest/gtest.h>

#include <omp.h>

#include <set>
#include <vector>

#include "tile/generate/generate.hpp"

namespace tilespmv::testing {
namespace {

using cuda::choose_hubs;

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

/// Without limits that a test does not name.
struct Limits {
    index_t max_hubs = 0;
    offset_t min_nonzeros = 0;
    double min_share = 0;
    double min_scattered = 0;
    offset_t sampled = 1 << 21;
};

Buffer<index_t> hubs_of(const std::vector<index_t>& col_idxs, index_t cols, const Limits& limits) {
    return choose_hubs(col_idxs, cols, 8,
                       {.max_hubs = limits.max_hubs,
                        .min_nonzeros = limits.min_nonzeros,
                        .min_share = limits.min_share,
                        .min_scattered = limits.min_scattered,
                        .near_bytes = 0,
                        .sampled = limits.sampled});
}

TEST(Hubs, AreTheColumnsOfMostNonzerosTheseFirst) {
    const auto cols = columns_of({5, 0, 9, 1, 9, 7});
    EXPECT_EQ(hubs_of(cols, 6, {.max_hubs = 3}), (Buffer<index_t>{2, 4, 5}));
    EXPECT_EQ(hubs_of(cols, 6, {.max_hubs = 1}), (Buffer<index_t>{2})) << "of two with 9 the first";
    EXPECT_EQ(hubs_of(cols, 6, {.max_hubs = 100}), (Buffer<index_t>{2, 4, 5, 0, 3})) << "empty columns are none";
    EXPECT_TRUE(hubs_of(cols, 6, {.max_hubs = 0}).empty());
    EXPECT_TRUE(hubs_of({}, 0, {.max_hubs = 5}).empty());
}

TEST(Hubs, HaveTheNonzerosThatRepayThem) {
    const auto cols = columns_of({5, 0, 9, 1, 9, 7});
    EXPECT_EQ(hubs_of(cols, 6, {.max_hubs = 3, .min_nonzeros = 25}), (Buffer<index_t>{2, 4, 5}));
    EXPECT_TRUE(hubs_of(cols, 6, {.max_hubs = 3, .min_nonzeros = 26}).empty());
    EXPECT_EQ(hubs_of(cols, 6, {.max_hubs = 3, .min_share = 0.8}), (Buffer<index_t>{2, 4, 5})) << "25 of 31";
    EXPECT_TRUE(hubs_of(cols, 6, {.max_hubs = 3, .min_share = 0.81}).empty());
}

TEST(Hubs, AreNoneWhereNeighboursShareLinesOfX) {
    std::vector<index_t> in_line;
    std::vector<index_t> scattered;
    for (index_t k = 0; k < 40'000; ++k) {
        in_line.push_back(k % 20'000);
        scattered.push_back(static_cast<index_t>(std::int64_t{k} * 7919 % 20'000));
    }
    EXPECT_TRUE(hubs_of(in_line, 20'000, {.max_hubs = 10, .min_scattered = 0.5}).empty());
    EXPECT_EQ(hubs_of(scattered, 20'000, {.max_hubs = 10, .min_scattered = 0.5}).size(), 10u);
}

TEST(Hubs, AreNoneWhereXIsNear) {
    const auto cols = columns_of({5, 0, 9, 1, 9, 7});
    const HubTuning tuning{.max_hubs = 3, .min_nonzeros = 0, .min_share = 0, .min_scattered = 0, .near_bytes = 47};
    EXPECT_EQ(choose_hubs(cols, 6, 8, tuning).size(), 3u);
    EXPECT_TRUE(choose_hubs(cols, 6, 4, tuning).empty()) << "24 bytes";
}

TEST(Hubs, AreTakenByDefaultWhereFewScatteredColumnsHoldMillions) {
    const auto a = generate<float>("rmat:scale=18,degree=16");
    const auto hubs_by_default = [&](std::size_t value_bytes) {
        return choose_hubs(a.col_idxs, a.cols, value_bytes, tuning_for(90, value_bytes).hubs).size();
    };
    EXPECT_EQ(hubs_by_default(4), 65'536u);
    EXPECT_EQ(hubs_by_default(8), 0u) << "of 4 million nonzeros too few are in hubs";
}

TEST(Hubs, DoNotDependOnTheNumberOfThreads) {
    std::vector<int> counts;
    for (int c = 0; c < 20'000; ++c) counts.push_back(c * 7919 % 13);
    const auto cols = columns_of(counts);
    const int threads = omp_get_max_threads();
    const Limits limits{.max_hubs = 3000, .sampled = 30'000};
    omp_set_num_threads(1);
    const auto by_one = hubs_of(cols, 20'000, limits);
    for (const int more : {3, 16}) {
        omp_set_num_threads(more);
        EXPECT_EQ(hubs_of(cols, 20'000, limits), by_one) << more;
    }
    omp_set_num_threads(threads);
    EXPECT_EQ(by_one.size(), 3000u);
}

TEST(Hubs, OfASampleAreThoseOfAll) {
    std::vector<int> counts(1000, 10);
    for (const int hub : {3, 500, 999}) counts[hub] = 20'000;
    const auto cols = columns_of(counts);
    for (const offset_t sampled : {1 << 21, 5000}) {
        const auto hubs = hubs_of(cols, 1000, {.max_hubs = 3, .sampled = sampled});
        EXPECT_EQ(std::set<index_t>(hubs.begin(), hubs.end()), (std::set<index_t>{3, 500, 999})) << sampled;
    }
    EXPECT_FALSE(hubs_of(cols, 1000, {.max_hubs = 50, .min_nonzeros = 55'000, .sampled = 5000}).empty())
        << "counts stand for all nonzeros";
}

}  // namespace
}  // namespace tilespmv::testing
