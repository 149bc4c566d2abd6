// Files of many segments and buckets against a serial oracle, for several numbers of threads.
#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cmath>
#include <map>
#include <thread>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "tests/tile/matrix_market/matrix_market_support.hpp"

namespace tilespmv {
namespace {

using test::Triplet;

/// A generator of the same numbers everywhere.
class Random {
public:
    std::uint64_t below(std::uint64_t n) {
        state_ = state_ * 6364136223846793005u + 1442695040888963407u;
        return (state_ >> 33) % n;
    }

private:
    std::uint64_t state_ = 7;
};

struct Sample {
    std::string text;
    std::vector<Triplet> expected;
};

/// Entries at random places, many of them twice and more; row r is chosen with a bias to small r. Mirrored as told.
Sample random_file(const std::string& symmetry, index_t size, int entries) {
    Random random;
    std::map<std::pair<std::int64_t, std::int64_t>, double> sums;
    Sample sample{fmt::format("%%MatrixMarket matrix coordinate real {}\n{} {} {}\n", symmetry, size, size, entries),
                  {}};
    for (int k = 0; k < entries; ++k) {
        auto row = static_cast<std::int64_t>(random.below(random.below(static_cast<std::uint64_t>(size)) + 1)) + 1;
        auto col = static_cast<std::int64_t>(random.below(static_cast<std::uint64_t>(size))) + 1;
        const double value = static_cast<double>(random.below(1u << 31)) / 3;
        if (symmetry != "general" && row < col) std::swap(row, col);
        if (symmetry == "skew-symmetric" && row == col) col = row == 1 ? row++ : row - 1;
        sample.text += fmt::format("{} {} {}\n", row, col, value);
        sums[{row, col}] += value;
        if (symmetry != "general" && row != col) sums[{col, row}] += symmetry == "symmetric" ? value : -value;
    }
    for (const auto& [place, sum] : sums) sample.expected.push_back(test::triplet(place.first, place.second, sum));
    return sample;
}

class ParallelReading : public ::testing::TestWithParam<std::string> {};

TEST_P(ParallelReading, EqualsTheSerialSumsForAnyNumberOfThreads) {
    for (const index_t size : {20, 300, 20000}) {
        const auto sample = random_file(GetParam(), size, 60000);
        for (const int count : {1, 2, 7}) {
            const test::Threads threads(count);
            EXPECT_TRUE(test::triplets(test::read_text(sample.text)) == sample.expected)
                << size << " rows, " << count << " threads";
        }
    }
}

INSTANTIATE_TEST_SUITE_P(Symmetries, ParallelReading, ::testing::Values("general", "symmetric", "skew-symmetric"),
                         [](const auto& test) { return test.param.substr(0, test.param.find('-')); });

TEST(ParallelReading, PatternsCountDuplicates) {
    std::string text = "%%MatrixMarket matrix coordinate pattern symmetric\n500 500 100000\n";
    std::map<std::pair<std::int64_t, std::int64_t>, double> counts;
    Random random;
    for (int k = 0; k < 100000; ++k) {
        const auto row = static_cast<std::int64_t>(random.below(500)) + 1;
        const auto col = static_cast<std::int64_t>(random.below(static_cast<std::uint64_t>(row))) + 1;
        text += fmt::format("{} {}\n", row, col);
        ++counts[{row, col}];
        if (row != col) ++counts[{col, row}];
    }
    std::vector<Triplet> expected;
    for (const auto& [place, count] : counts) expected.push_back(test::triplet(place.first, place.second, count));
    EXPECT_TRUE(test::triplets(test::read_text(text)) == expected);
}

/// Every row has three entries at one place, one after the other through the whole file.
template <Value V>
CsrMatrix<V> sums_of_three(const std::array<double, 3>& values, int threads_count) {
    constexpr int rows = 20000;
    std::string text = fmt::format("%%MatrixMarket matrix coordinate real general\n{} 1 {}\n", rows, 3 * rows);
    for (const double value : values) {
        for (int row = rows; row >= 1; --row) text += fmt::format("{} 1 {}\n", row, value);
    }
    const test::Threads threads(threads_count);
    return test::read_text<V>(text);
}

TEST(ParallelReading, DuplicatesAreSummedInDoubleInTheOrderOfTheFileAndRoundedOnce) {
    const auto expect_sum = [](auto expected, const std::array<double, 3>& values) {
        for (const int count : {1, 3}) {
            const auto a = sums_of_three<decltype(expected)>(values, count);
            ASSERT_EQ(a.nnz(), a.rows);
            for (const auto value : a.values) ASSERT_EQ(widened(value), widened(expected)) << count << " threads";
        }
    };
    expect_sum(16777218.0f, {16777216, 1, 1});  // each sum of floats would be 2^24
    expect_sum(1.0f + 0x1p-23f, {1, 0x1p-24, 0x1p-40});
    expect_sum(0.0f, {0x1p53, 1, -0x1p53});
    expect_sum(1.0f, {0x1p53, -0x1p53, 1});
    expect_sum(Half(2050), {2048, 1, 1});
    expect_sum(Bfloat16(258), {256, 1, 1});
    expect_sum(0.0, {0x1p53, 1, -0x1p53});
}

TEST(ParallelReading, ZerosAreSummedWithTheirSign) {
    EXPECT_TRUE(std::signbit(sums_of_three<double>({-0.0, -0.0, -0.0}, 1).values[0]));
    EXPECT_FALSE(std::signbit(sums_of_three<double>({-0.0, 0.0, -0.0}, 1).values[0]));
}

TEST(ParallelReading, SortingARowKeepsTheOrderOfItsDuplicates) {
    const std::string in_another_order = "1 2 5\n1 1 9007199254740992\n1 1 1\n1 1 -9007199254740992\n";
    for (const int others : {0, 100}) {  // in short and in long rows
        std::string text = fmt::format("%%MatrixMarket matrix coordinate real general\n1 200 {}\n", 4 + others);
        for (int col = 200; col > 200 - others; --col) text += fmt::format("1 {} 1\n", col);
        EXPECT_EQ(test::read_text(text + in_another_order).values[0], 0) << others;
    }
}

TEST(ParallelReading, ProgressIsToldByOneThreadAtATime) {
    const auto sample = random_file("general", 20000, 60000);
    const test::TemporaryDirectory directory;
    const test::Threads threads(7);
    std::atomic<int> inside = 0;
    int most = 0;
    read_matrix_market<double>(directory.file("A.mtx", sample.text), {.progress = [&](double) {
                                   most = std::max(most, ++inside);
                                   std::this_thread::sleep_for(std::chrono::microseconds(200));
                                   --inside;
                               }});
    EXPECT_EQ(most, 1);
}

TEST(ParallelReading, ProgressReachesTheEndOnceAndNeverGoesBack) {
    const auto sample = random_file("general", 20000, 60000);
    const test::TemporaryDirectory directory;
    std::vector<double> shares;
    read_matrix_market<double>(directory.file("A.mtx", sample.text),
                               {.progress = [&](double share) { shares.push_back(share); }});
    EXPECT_TRUE(std::ranges::is_sorted(shares));
    EXPECT_EQ(shares.back(), 1);
    EXPECT_EQ(std::ranges::count_if(shares, [](double share) { return share > 0.99; }), 1);
}

TEST(ParallelReading, RowsFarApartAndAHubRow) {
    std::string text = "%%MatrixMarket matrix coordinate integer general\n1000000 100000 100003\n1000000 3 5\n";
    std::vector<Triplet> expected{test::triplet(1, 7, 6)};
    for (int col = 100000; col >= 1; --col) text += fmt::format("500000 {} {}\n", col, col);
    for (int col = 1; col <= 100000; ++col) expected.push_back(test::triplet(500000, col, col));
    text += "1 7 6\n1000000 2 4\n";
    expected.push_back(test::triplet(1000000, 2, 4));
    expected.push_back(test::triplet(1000000, 3, 5));
    EXPECT_TRUE(test::triplets(test::read_text(text)) == expected);
}

}  // namespace
}  // namespace tilespmv
