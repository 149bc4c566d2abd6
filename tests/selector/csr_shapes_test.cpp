#include "selector/csr_shapes.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <utility>
#include <vector>

namespace tilespmv::cuda {
namespace {

/// Row pointers of rows of these lengths, `times` after each other.
std::vector<offset_t> row_ptrs_of(const std::vector<offset_t>& lengths, int times = 1) {
    std::vector<offset_t> row_ptrs{0};
    for (int i = 0; i < times; ++i) {
        for (const offset_t length : lengths) row_ptrs.push_back(row_ptrs.back() + length);
    }
    return row_ptrs;
}

int chosen(const std::vector<offset_t>& lengths, int times = 1) {
    return threads_per_row(row_lengths(row_ptrs_of(lengths, times), 4), VectorTuning{});
}

TEST(CsrVectorMeanRule, IsTheSmallestPowerOfTwoOfAMeanRow) {
    EXPECT_EQ(threads_of_mean_row(0, 0), 2);
    EXPECT_EQ(threads_of_mean_row(100, 200), 2);
    EXPECT_EQ(threads_of_mean_row(100, 201), 4);
    EXPECT_EQ(threads_of_mean_row(100, 1600), 16);
    EXPECT_EQ(threads_of_mean_row(100, 1601), 32);
    EXPECT_EQ(threads_of_mean_row(1, 1'000'000'000'000), 32);
    EXPECT_EQ(threads_of_mean_row(2'000'000'000, 15'000'000'000), 8);
}

TEST(CsrVectorLengths, CountTheRoundsOfEveryGroup) {
    const auto lengths = row_lengths(row_ptrs_of({0, 1, 8, 9, 128, 129}), 4);
    const std::array<std::array<offset_t, 3>, 5> expected{
        {{2, 1 + 1 + 1 + 2 + 16 + 17, 17}, {4, 4 + 8 + 9, 9}, {8, 4 + 4 + 5, 5}, {16, 4 + 2 + 3, 3}, {32, 5 + 2, 2}}};
    for (std::size_t i = 0; i < lengths.size(); ++i) {
        EXPECT_EQ((std::array<offset_t, 3>{lengths[i].threads, lengths[i].all, lengths[i].longest}), expected[i]);
    }
    EXPECT_EQ(row_lengths(row_ptrs_of({33}), 1)[4].all, 2);
}

TEST(CsrVectorLengths, OfManyRowsAreThoseOfTheirParts) {
    const auto lengths = row_lengths(row_ptrs_of({3, 0, 40}, 100'000), 4);
    EXPECT_EQ(lengths[0].all, 700'000);
    EXPECT_EQ(lengths[0].longest, 5);
    EXPECT_EQ(lengths[4].all, 300'000);
}

TEST(CsrVectorThreads, AThreadHasAtMostFourNonzerosOfEvenRows) {
    for (const int rows : {1, 1000, 1'000'000}) {
        for (const auto& [length, threads] : {std::pair{1, 2},
                                              {8, 2},
                                              {9, 4},
                                              {16, 4},
                                              {17, 8},
                                              {32, 8},
                                              {33, 16},
                                              {64, 16},
                                              {65, 32},
                                              {129, 32},
                                              {1000, 32}}) {
            EXPECT_EQ(chosen({length}, rows), threads) << rows << " rows of " << length;
        }
    }
    EXPECT_EQ(chosen({}), 2);
    EXPECT_EQ(chosen({0}, 1000), 2);
}

TEST(CsrVectorThreads, RowsOfAFewMoreThanTheMeanCountWithIt) {
    EXPECT_EQ(chosen({7, 8, 9}, 1'000'000), 4) << "a third of the rows would take two rounds";
    std::vector<offset_t> almost_all_short(1'000, 8);
    almost_all_short[500] = 9;
    EXPECT_EQ(chosen(almost_all_short, 10'000), 2);
}

TEST(CsrVectorThreads, OfGeometricLengthsAreWiderThanOfTheirMean) {
    std::vector<offset_t> lengths;
    for (offset_t length = 1; length <= 64; ++length) {
        lengths.insert(lengths.end(), static_cast<std::size_t>(std::lround(1000 * std::pow(7.0 / 8, length))), length);
    }
    EXPECT_EQ(chosen(lengths, 300), 8) << "rows of 8 in the mean, many of 20";
}

TEST(CsrVectorThreads, OfAPowerLawAreAWarp) {
    std::vector<offset_t> lengths;
    for (int row = 1; row <= 100'000; ++row) lengths.push_back(100'000 / row);
    EXPECT_EQ(threads_of_mean_row(100'000, row_ptrs_of(lengths).back()), 16);
    EXPECT_EQ(chosen(lengths), 32);
}

TEST(CsrVectorThreads, OfOneHubAmongShortRowsAreAWarp) {
    for (const offset_t hub : {10'000, 100'000}) {
        std::vector<offset_t> lengths(500'000, 4);
        lengths[1000] = hub;
        EXPECT_EQ(chosen(lengths), 32) << hub;
    }
}

TEST(CsrVectorThreads, FollowTheTuning) {
    const auto lengths = row_lengths(row_ptrs_of({7, 8, 9}, 1'000'000), 4);
    EXPECT_EQ(threads_per_row(lengths, {.request_time = 0}), 2) << "lanes alone cost";
    std::vector<offset_t> one_hub(500'000, 4);
    one_hub[1000] = 10'000;
    const auto hub = row_lengths(row_ptrs_of(one_hub), 4);
    EXPECT_EQ(threads_per_row(hub, {.concurrent_rounds = 0}), 2) << "the longest row does not count";
    EXPECT_EQ(threads_per_row(hub, {.concurrent_rounds = 3000}), 32);
}

MultiroundShape chosen_shape(index_t rows, offset_t nnz) { return multiround_shape({}, rows, nnz, {}); }

TEST(MultiroundShapes, FillARoundWithMeanRows) {
    EXPECT_EQ(chosen_shape(0, 0), (MultiroundShape{256, 256, 8, 1}));
    EXPECT_EQ(chosen_shape(1000, 5000), (MultiroundShape{256, 256, 8, 1}));
    EXPECT_EQ(chosen_shape(1000, 7000), (MultiroundShape{256, 256, 8, 1}));
    EXPECT_EQ(chosen_shape(1000, 7001), (MultiroundShape{128, 256, 8, 2}));
    EXPECT_EQ(chosen_shape(1000, 27000), (MultiroundShape{64, 256, 8, 4}));
    EXPECT_EQ(chosen_shape(1000, 1'000'000'000'000), (MultiroundShape{8, 256, 8, 32}));
}

TEST(MultiroundShapes, FollowTheTuning) {
    const MultiroundTuning tuning{.threads = 128, .products = 4, .filled_eighths = 8};
    EXPECT_EQ(multiround_shape({}, 1000, 4000, tuning), (MultiroundShape{128, 128, 4, 1}));
    EXPECT_EQ(multiround_shape({}, 1000, 4001, tuning), (MultiroundShape{64, 128, 4, 2}));
}

TEST(Csr5Sigma, FollowsTheMeanRow) {
    EXPECT_EQ(csr5_sigma(0, 0), 4);
    EXPECT_EQ(csr5_sigma(100, 400), 4);
    EXPECT_EQ(csr5_sigma(100, 401), 8);
    EXPECT_EQ(csr5_sigma(100, 801), 16);
    EXPECT_EQ(csr5_sigma(2'000'000'000, 8'000'000'001), 8);
    EXPECT_EQ(csr5_sigma(1, 1'000'000'000'000), 16);
}

}  // namespace
}  // namespace tilespmv::cuda
