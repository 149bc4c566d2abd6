#include "selector/x_access.hpp"

#include <vector>

#include <gtest/gtest.h>

#include "tile/generate/generate.hpp"

namespace tilespmv::cpu {
namespace {

constexpr std::size_t kMiB = std::size_t{1} << 20;

template <class V>
double share_of(const char* specification) {
    return scattered_share(generate<V>(specification).col_idxs, sizeof(V));
}

TEST(XAccess, TellsScatteredMatricesFromThoseInLine) {
    for (const char* in_line : {"laplace2d:n=300", "laplace3d:n=40", "fem:n=12,dof=3", "banded:n=5000",
                                "delaunay:n=20000", "dense:rows=300,cols=300", "qcd:n=4"}) {
        EXPECT_LT(share_of<double>(in_line), 0.05) << in_line;
    }
    for (const char* scattered : {"uniform:n=100000", "rmat:scale=17", "powerlaw:n=100000", "circuit:n=200000"}) {
        EXPECT_GT(share_of<double>(scattered), 0.15) << scattered;
        EXPECT_GT(share_of<float>(scattered), 0.15) << scattered;
    }
}

/// The share in runs of 256 nonzeros, the k-th of them `stride` columns apart from column first[k] on.
double share_of(const std::vector<index_t>& first, index_t stride) {
    constexpr std::size_t length = 256;
    std::vector<index_t> cols(first.size() * length);
    for (std::size_t i = 0; i < cols.size(); ++i) {
        cols[i] = first[i / length] + static_cast<index_t>(i % length) * stride;
    }
    return scattered_share(cols, sizeof(double));
}

// A sample is 512 nonzeros, of which the first half makes lines of x known, of 8 values each.
TEST(XAccess, CountsLinesThatNoneOfTheFirstHalfOfASampleIsBeside) {
    constexpr index_t line = 8;
    EXPECT_EQ(share_of({0}, 1000), 0) << "no sample";
    for (const index_t known : {0, line - 1, line, 3 * line - 1}) {
        EXPECT_EQ(share_of({2 * line, line + known}, 1000), 0);
    }
    EXPECT_EQ(share_of({2 * line, line - 1}, 1000), 1);
    EXPECT_EQ(share_of({2 * line, 4 * line}, 1000), 1);
    EXPECT_EQ(share_of({0, 0, 0, 256 * 1000}, 1000), 0.5) << "of two samples one";
    EXPECT_EQ(share_of({0, 256 * line}, line), 0) << "one line after the other";
    EXPECT_EQ(share_of({0, 256 * 2 * line}, 2 * line), 1);
}

TEST(XAccess, TakesSixtyFourSamplesOfALargeMatrix) {
    std::vector<index_t> every_other_scattered;
    for (index_t i = 0; i < 128; ++i) {
        every_other_scattered.push_back(0);
        every_other_scattered.push_back(i % 2 == 0 ? 256 * 1000 : 0);
    }
    EXPECT_EQ(share_of(every_other_scattered, 1000), 1);
}

offset_t distance_of(const CsrMatrix<double>& a, std::size_t cache_bytes, const Tuning& tuning = kTuning) {
    return x_prefetch_distance(a.col_idxs, a.cols, sizeof(double), cache_bytes, tuning);
}

TEST(XPrefetchDistance, IsThatOfScatteredColumnsOutOfReach) {
    const auto a = generate<double>("uniform:n=400000,per_row=8");
    EXPECT_EQ(distance_of(a, 4 * kMiB), 256);
    EXPECT_EQ(distance_of(a, 400 * kMiB), 0);
    const std::size_t x_bytes = 400'000 * sizeof(double);
    EXPECT_EQ(distance_of(a, 4 * x_bytes), 0) << "a quarter of the cache";
    EXPECT_EQ(distance_of(a, 4 * x_bytes - 4), 256);
    EXPECT_EQ(distance_of(generate<double>("laplace2d:n=700"), kMiB), 0) << "in line";
    EXPECT_EQ(x_prefetch_distance({}, 1 << 30, sizeof(double), kMiB), 0);
}

TEST(XPrefetchDistance, FollowsTheTuning) {
    const auto a = generate<double>("uniform:n=400000,per_row=4");
    EXPECT_EQ(distance_of(a, 4 * kMiB, {.prefetch_distance = 7}), 7);
    EXPECT_EQ(distance_of(a, 4 * kMiB, {.scattered_share = 1}), 0);
    EXPECT_EQ(distance_of(a, 4 * kMiB, {.cache_parts = 1}), 0);
}

}  // namespace
}  // namespace tilespmv::cpu
