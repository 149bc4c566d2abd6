#include "kernels/csr/defaults.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "tile/error.hpp"

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
    return threads_per_row(row_lengths(row_ptrs_of(lengths, times), 4));
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

TEST(CsrVectorDefaults, AThreadHasAtMostFourNonzerosOfEvenRows) {
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

TEST(CsrVectorDefaults, RowsOfAFewMoreThanTheMeanCountWithIt) {
    EXPECT_EQ(chosen({7, 8, 9}, 1'000'000), 4) << "a third of the rows would take two rounds";
    std::vector<offset_t> almost_all_short(1'000, 8);
    almost_all_short[500] = 9;
    EXPECT_EQ(chosen(almost_all_short, 10'000), 2);
}

TEST(CsrVectorDefaults, OfGeometricLengthsAreWiderThanOfTheirMean) {
    std::vector<offset_t> lengths;
    for (offset_t length = 1; length <= 64; ++length) {
        lengths.insert(lengths.end(), static_cast<std::size_t>(std::lround(1000 * std::pow(7.0 / 8, length))), length);
    }
    EXPECT_EQ(chosen(lengths, 300), 8) << "rows of 8 in the mean, many of 20";
}

TEST(CsrVectorDefaults, OfAPowerLawAreAWarp) {
    std::vector<offset_t> lengths;
    for (int row = 1; row <= 100'000; ++row) lengths.push_back(100'000 / row);
    EXPECT_EQ(threads_of_mean_row(100'000, row_ptrs_of(lengths).back()), 16);
    EXPECT_EQ(chosen(lengths), 32);
}

TEST(CsrVectorDefaults, OfOneHubAmongShortRowsAreAWarp) {
    for (const offset_t hub : {10'000, 100'000}) {
        std::vector<offset_t> lengths(500'000, 4);
        lengths[1000] = hub;
        EXPECT_EQ(chosen(lengths), 32) << hub;
    }
}

VectorShape vector_shape_of(const char* specification, const std::vector<offset_t>& lengths) {
    Options options("operator", specification);
    return vector_shape(options, row_ptrs_of(lengths));
}

TEST(CsrVectorDefaults, FollowTheOptionsThatAreGiven) {
    const std::vector<offset_t> lengths(100, 8);
    EXPECT_EQ(vector_shape_of("csr-vector", lengths), (VectorShape{2, 4}));
    EXPECT_EQ(vector_shape_of("csr-vector:rule=rows", lengths), (VectorShape{2, 4}));
    EXPECT_EQ(vector_shape_of("csr-vector:flight=1", lengths), (VectorShape{8, 1}));
    EXPECT_EQ(vector_shape_of("csr-vector:rule=mean", lengths), (VectorShape{8, 4}));
    EXPECT_EQ(vector_shape_of("csr-vector:rule=mean,flight=1", lengths), (VectorShape{8, 1}));
    EXPECT_EQ(vector_shape_of("csr-vector:threads=32", lengths), (VectorShape{32, 4}));
    EXPECT_EQ(vector_shape_of("csr-vector:rule=mean", {}), (VectorShape{2, 4}));
}

TEST(CsrVectorDefaults, RefuseARuleBesideThreadsAndUnknownRules) {
    const auto expect_refused = [](const char* specification, const std::string& message) {
        try {
            vector_shape_of(specification, {8});
            ADD_FAILURE() << specification << " is accepted";
        } catch (const Error& error) {
            EXPECT_EQ(error.code(), ExitCode::usage);
            EXPECT_EQ(error.what(), "operator '" + std::string(specification) + "': " + message);
        }
    };
    expect_refused("csr-vector:rule=mean,threads=4", "threads are either given or chosen by a rule");
    expect_refused("csr-vector:rule=median", "rule=median, expected mean or rows");
}

MultiroundShape shape_of(const char* specification, index_t rows, offset_t nnz) {
    Options options("operator", specification);
    return multiround_shape(options, rows, nnz);
}

TEST(CsrMultiroundDefaults, FillARoundWithMeanRows) {
    EXPECT_EQ(shape_of("csr-multiround", 0, 0), (MultiroundShape{256, 256, 8, 1}));
    EXPECT_EQ(shape_of("csr-multiround", 1000, 5000), (MultiroundShape{256, 256, 8, 1}));
    EXPECT_EQ(shape_of("csr-multiround", 1000, 7000), (MultiroundShape{256, 256, 8, 1}));
    EXPECT_EQ(shape_of("csr-multiround", 1000, 7001), (MultiroundShape{128, 256, 8, 2}));
    EXPECT_EQ(shape_of("csr-multiround", 1000, 27000), (MultiroundShape{64, 256, 8, 4}));
    EXPECT_EQ(shape_of("csr-multiround", 1000, 1'000'000'000'000), (MultiroundShape{8, 256, 8, 32}));
}

TEST(CsrMultiroundDefaults, FollowTheOptionsThatAreGiven) {
    EXPECT_EQ(shape_of("csr-multiround:threads=64", 1000, 27000), (MultiroundShape{16, 64, 8, 4}));
    EXPECT_EQ(shape_of("csr-multiround:group=16", 1000, 5000), (MultiroundShape{16, 256, 8, 16}));
    EXPECT_EQ(shape_of("csr-multiround:rows=100", 1000, 27000), (MultiroundShape{100, 256, 8, 2}));
    EXPECT_EQ(shape_of("csr-multiround:products=1", 1000, 7000), (MultiroundShape{32, 256, 1, 8}));
    EXPECT_EQ(shape_of("csr-multiround:rows=3,threads=512,products=2,group=32", 1000, 5000),
              (MultiroundShape{3, 512, 2, 32}));
    EXPECT_EQ(shape_of("csr-multiround:group=128", 1000, 5000), (MultiroundShape{2, 256, 8, 128}));
    EXPECT_EQ(shape_of("csr-multiround:group=512", 1000, 5000), (MultiroundShape{1, 512, 8, 512}));
    EXPECT_EQ(shape_of("csr-multiround:rows=1,threads=64,group=64", 1000, 5000), (MultiroundShape{1, 64, 8, 64}));
}

TEST(CsrMultiroundDefaults, RefuseMoreRowsThanGroups) {
    for (const char* specification :
         {"csr-multiround:rows=257", "csr-multiround:rows=65,group=4", "csr-multiround:threads=64,group=32,rows=3",
          "csr-multiround:rows=0", "csr-multiround:threads=64,group=128", "csr-multiround:rows=2,group=512"}) {
        EXPECT_THROW(shape_of(specification, 1000, 5000), Error) << specification;
    }
    try {
        shape_of("csr-multiround:rows=65,group=4", 1000, 5000);
    } catch (const Error& error) {
        EXPECT_EQ(error.code(), ExitCode::usage);
        EXPECT_STREQ(error.what(),
                     "csr-multiround: 65 rows of a block with 4 threads each need 260 threads, it has 256");
    }
    EXPECT_EQ(shape_of("csr-multiround:rows=64,group=4", 1000, 5000).rows, 64);
}

}  // namespace
}  // namespace tilespmv::cuda
