#include "selector/csr_shapes.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <cstdint>
#include <stdexcept>
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
    return vector_shape(row_lengths(row_ptrs_of(lengths, times)), std::array{4}, VectorTuning{}).threads;
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
    const auto lengths = row_lengths(row_ptrs_of({0, 1, 2, 3, 8, 9, 512, 513}));
    const std::array<std::array<offset_t, 3>, 8> expected{{{2, 3 + 2 + 4 + 5 + 256 + 257, 257},
                                                           {4, 4 + 2 + 3 + 128 + 129, 129},
                                                           {8, 5 + 2 + 64 + 65, 65},
                                                           {16, 6 + 32 + 33, 33},
                                                           {32, 6 + 16 + 17, 17},
                                                           {64, 6 + 8 + 9, 9},
                                                           {128, 6 + 4 + 5, 5},
                                                           {256, 6 + 2 + 3, 3}}};
    for (std::size_t i = 0; i < lengths.size(); ++i) {
        EXPECT_EQ((std::array<offset_t, 3>{lengths[i].nonzeros, lengths[i].all, lengths[i].longest}), expected[i]);
    }
    for (const RowRounds& of : row_lengths(row_ptrs_of({}))) EXPECT_EQ(of.all + of.longest, 0);
    EXPECT_EQ(row_lengths(row_ptrs_of({0}))[7], (RowRounds{256, 1, 1}));
}

TEST(SellLanes, ArePowersOfTwoAndOfLongRowsWholeBlocks) {
    EXPECT_EQ(sell_lanes(0, 8), 0);
    EXPECT_EQ(sell_lanes(1, 8), 1);
    EXPECT_EQ(sell_lanes(8, 8), 1);
    EXPECT_EQ(sell_lanes(9, 8), 2);
    EXPECT_EQ(sell_lanes(17, 8), 4);
    EXPECT_EQ(sell_lanes(8 * 256, 8), 256);
    EXPECT_EQ(sell_lanes(8 * 256 + 1, 8), 256) << "with up to twice as many steps";
    EXPECT_EQ(sell_lanes(2 * 8 * 256 + 1, 8), 512);
}

TEST(RowStatistics, AreOfShortAndLongRowsInSeveralParts) {
    const RowStatistics rows = row_statistics(row_ptrs_of({3, 0, 511, 512, 70'000}, 40'000));
    EXPECT_EQ(rows.longest, 70'000);
    EXPECT_EQ(rows.empty, 40'000);
    EXPECT_DOUBLE_EQ(rows.squares, 40'000.0 * (9 + 511 * 511 + 512 * 512 + 70'000.0 * 70'000.0));
    EXPECT_EQ(rows.rounds[7], (RowRounds{256, 40'000 * (1 + 1 + 2 + 2 + 274), 274, 40'000 * (1 + 2 + 2 + 256)}));
    EXPECT_EQ(row_statistics(row_ptrs_of({})).longest, 0);
}

TEST(CsrVectorLengths, OfManyRowsAreThoseOfTheirParts) {
    const auto lengths = row_lengths(row_ptrs_of({3, 0, 40}, 100'000));
    EXPECT_EQ(lengths[2], (RowRounds{8, 700'000, 5, 900'000}));
    EXPECT_EQ(lengths[6], (RowRounds{128, 300'000, 1, 200'000}));
}

TEST(CsrVectorLengths, OfAShapeAreThoseOfItsNonzeros) {
    const auto lengths = row_lengths(row_ptrs_of({300}));
    EXPECT_EQ(rounds_of(lengths, {2, 1}), lengths[0]);
    EXPECT_EQ(rounds_of(lengths, {8, 4}), lengths[4]);
    EXPECT_EQ(rounds_of(lengths, {4, 8}), lengths[4]);
    EXPECT_EQ(rounds_of(lengths, {32, 8}), lengths[7]);
    EXPECT_THROW(rounds_of(lengths, {32, 16}), std::out_of_range);
}

TEST(CsrVectorThreads, AThreadHasAtMostFourNonzerosOfEvenRows) {
    for (const int rows : {1, 1000, 1'000'000}) {
        for (const auto& [length, threads] :
             {std::pair{1, 2}, {8, 2}, {9, 4}, {16, 4}, {17, 8}, {32, 8}, {33, 16}, {64, 16}, {1000, 32}}) {
            EXPECT_EQ(chosen({length}, rows), threads) << rows << " rows of " << length;
        }
    }
    for (const int length : {65, 129}) {
        EXPECT_EQ(chosen({length}, 1000), 32) << "one round, or two";
        EXPECT_EQ(chosen({length}, 1'000'000), 8) << "of many rows rounds that leave fewer places free";
    }
    EXPECT_EQ(chosen({}), 2);
    EXPECT_EQ(chosen({0}, 1000), 2);
}

TEST(CsrVectorThreads, RowsOfAFewMoreThanTheMeanCountWithIt) {
    EXPECT_EQ(chosen({7, 9}, 1'000'000), 4) << "half of the rows would take two rounds";
    std::vector<offset_t> almost_all_short(1'000, 8);
    almost_all_short[500] = 9;
    EXPECT_EQ(chosen(almost_all_short, 10'000), 2);
}

TEST(CsrVectorThreads, OfGeometricLengthsAreWiderThanOfTheirMean) {
    std::vector<offset_t> lengths;
    for (offset_t length = 1; length <= 64; ++length) {
        lengths.insert(lengths.end(), static_cast<std::size_t>(std::lround(1000 * std::pow(7.0 / 8, length))), length);
    }
    EXPECT_EQ(chosen(lengths, 30), 4) << "two would do for rows of 8, the mean, but many have 20";
}

TEST(CsrVectorThreads, OfAPowerLawAreAWarp) {
    std::vector<offset_t> lengths;
    for (int row = 1; row <= 100'000; ++row) lengths.push_back(100'000 / row);
    EXPECT_EQ(threads_of_mean_row(100'000, row_ptrs_of(lengths).back()), 16);
    EXPECT_EQ(chosen(lengths), 32);
}

TEST(CsrVectorThreads, OfOneHubAmongShortRowsGrowWithIt) {
    for (const auto& [hub, threads] : {std::pair{1'000, 8}, {10'000, 16}, {100'000, 32}}) {
        std::vector<offset_t> lengths(500'000, 4);
        lengths[1000] = hub;
        EXPECT_EQ(chosen(lengths), threads) << hub;
    }
}

TEST(CsrVectorThreads, FollowTheTuning) {
    const auto threads = [](const RowLengths& lengths, const VectorTuning& tuning) {
        return vector_shape(lengths, std::array{4}, tuning).threads;
    };
    const auto lengths = row_lengths(row_ptrs_of({7, 8, 9}, 1'000'000));
    EXPECT_EQ(threads(lengths, {.request_time = 0}), 2) << "lanes alone cost";
    std::vector<offset_t> one_hub(500'000, 4);
    one_hub[1000] = 10'000;
    const auto hub = row_lengths(row_ptrs_of(one_hub));
    EXPECT_EQ(threads(hub, {.concurrent_rounds = 0}), 2) << "the longest row does not count";
    EXPECT_EQ(threads(hub, {.concurrent_rounds = 3000}), 32);
}

TEST(CsrVectorFlights, AreEightWhereThatSavesRounds) {
    const auto shape = [](offset_t length, int rows, const VectorTuning& tuning = {}) {
        return vector_shape(row_lengths(row_ptrs_of({length}, rows)), kVectorFlights, tuning);
    };
    EXPECT_EQ(shape(8, 1'000'000), (VectorShape{2, 4}));
    EXPECT_EQ(shape(64, 1'000'000), (VectorShape{16, 4})) << "lanes with eight take longer";
    EXPECT_EQ(shape(64, 1'000'000, {.deep_lanes = 1.5}), (VectorShape{8, 8}));
    EXPECT_EQ(shape(64, 1'000), (VectorShape{16, 4})) << "a round of the longest row counts for more than all";
    EXPECT_EQ(shape(200, 1'000), (VectorShape{32, 8})) << "one round instead of two";
    EXPECT_EQ(shape(200, 1'000, {.deep_latency = 4}), (VectorShape{32, 4}));
}

TEST(InodeLengths, AreThoseOfTheFirstRowsOfInodes) {
    // Seven rows of 16 alike, one alone, three empty ones alike, two long ones alike.
    const auto row_ptrs = row_ptrs_of({16, 16, 16, 16, 16, 16, 16, 40, 0, 0, 0, 3000, 3000});
    const std::vector<std::uint8_t> alike{0, 1, 1, 1, 1, 1, 1, 0, 0, 1, 1, 0, 1};
    const auto lengths = inode_lengths(row_ptrs, alike);
    EXPECT_EQ(lengths[0].rounds, row_lengths(row_ptrs_of({16, 16, 16, 16, 40, 0, 0, 3000}))) << "of at most 2 rows";
    EXPECT_EQ(lengths[0].inodes, 8);
    EXPECT_EQ(lengths[1].rounds, row_lengths(row_ptrs_of({16, 16, 16, 40, 0, 3000}))) << "of at most 3";
    EXPECT_EQ(lengths[1].inodes, 6);
    EXPECT_EQ(lengths[4].rounds, row_lengths(row_ptrs_of({16, 16, 40, 0, 3000}))) << "of at most 6";
    EXPECT_EQ(lengths[4].inodes, 5);
}

/// Inodes of one length, so many for each row that they may have.
std::array<InodeLengths, kInodeRows.size()> inodes_of(offset_t columns, const std::vector<int>& inodes) {
    std::array<InodeLengths, kInodeRows.size()> lengths;
    for (std::size_t i = 0; i < lengths.size(); ++i)
        lengths[i] = {inodes[i], row_lengths(row_ptrs_of({columns}, inodes[i]))};
    return lengths;
}

TEST(InodeTime, IsThatOfWavesOfWarpsAndOfTheirRequests) {
    Gpu gpu{.multiprocessors = 1, .warps = 64};
    gpu.tuning.inodes = {.round_latency = 100, .value_latency = 1, .converted_latency = 10, .line_time = 0};
    gpu.tuning.inodes.warp_time = 0;
    const auto time = [&](int inodes, const InodeShape& shape, const NumberSizes& of = {8, 8}) {
        return inode_time({inodes, row_lengths(row_ptrs_of({40}, inodes))}, shape, of, gpu);
    };
    EXPECT_DOUBLE_EQ(time(64, {2, 32, 2}), 104) << "a wave of 64 warps, a round of four values each";
    EXPECT_DOUBLE_EQ(time(65, {2, 32, 2}), (4 - 65.0 / 64) * 104) << "a second one that is nearly idle";
    EXPECT_DOUBLE_EQ(time(128, {2, 32, 2}), 2 * 104);
    EXPECT_DOUBLE_EQ(time(128, {2, 16, 2}), 2 * 104) << "one wave, of two rounds";
    EXPECT_DOUBLE_EQ(time(128, {6, 16, 2}), 2 * 2 * 112) << "with registers for 32 warps two waves";
    EXPECT_DOUBLE_EQ(time(40, {2, 32, 4}, {4, 8}), 180) << "float32 is converted";
    EXPECT_DOUBLE_EQ(time(1, {2, 8, 2}), 3 * 104);

    gpu.tuning.inodes = {.round_latency = 0, .value_latency = 0, .line_time = 1, .flight_power = 0.5, .warp_time = 7};
    EXPECT_DOUBLE_EQ(time(10, {2, 32, 4}), 10 * (2 * (2 * 3 + 2) + 7)) << "values of 256 bytes, columns of 128";
    EXPECT_DOUBLE_EQ(time(10, {2, 8, 4}), 5 * 2 * (2 * 6 + 5) + 2.5 * 7) << "two rounds, four inodes a warp";
    gpu.multiprocessors = 10;
    EXPECT_DOUBLE_EQ(time(10, {2, 32, 4}), 2 * (2 * 3 + 2) + 7);
}

TEST(InodeShapes, HaveNoMoreRowsThanInodes) {
    const auto rows = [](const std::vector<int>& inodes) {
        return inode_shape(inodes_of(40, inodes), {}, {8, 8}, measured_gpu(8)).rows;
    };
    EXPECT_EQ(rows({3000, 3000, 3000, 3000, 3000}), 2);
    EXPECT_EQ(rows({6000, 3000, 3000, 3000, 3000}), 3);
    EXPECT_EQ(rows({9000, 6000, 6000, 6000, 3000}), 6);
}

TEST(InodeTime, KnowsThatValuesInFlightLeaveFewerWarps) {
    // Inodes of four rows and 24 columns, by 8 threads: of 17,000 that is 4,250 warps, of which an H200 holds 4,224 or
    // 5,280.
    const auto time = [](int inodes, int flight) {
        const InodeLengths lengths{inodes, row_lengths(row_ptrs_of({24}, inodes))};
        return inode_time(lengths, {4, 8, flight}, {4, 8}, measured_gpu(4));
    };
    EXPECT_EQ(inode_warps({4, 8, 4}, {4, 8}), 32);
    EXPECT_GT(time(17'000, 4), 1.2 * time(16'800, 4));
    EXPECT_EQ(inode_warps({4, 8, 2}, {4, 8}), 40);
    EXPECT_LT(time(17'000, 2), 1.02 * time(16'800, 2));
}

TEST(InodeShapes, FollowWhatIsGiven) {
    const auto chosen = [](const InodeShape& given) {
        return inode_shape(inodes_of(40, {6000, 3000, 3000, 3000, 3000}), given, {8, 8}, measured_gpu(8));
    };
    EXPECT_EQ(chosen({.rows = 2}).rows, 2);
    EXPECT_EQ(chosen({.threads = 32}).threads, 32);
    EXPECT_EQ(chosen({.flight = 2}).flight, 2);
    EXPECT_EQ(chosen({5, 8, 4}), (InodeShape{5, 8, 4}));
    EXPECT_EQ(inode_shape(inodes_of(0, {0, 0, 0, 0, 0}), {}, {8, 8}, measured_gpu(8)).rows, 2) << "no rows";
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
