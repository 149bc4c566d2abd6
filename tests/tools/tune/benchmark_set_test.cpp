#include "tools/tune/benchmark_set.hpp"

#include <algorithm>
#include <set>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "bench/harness/suite.hpp"
#include "tests/support/message_of.hpp"
#include "tile/generate/generate.hpp"
#include "tools/tune/drawn_matrices.hpp"

namespace tilespmv::tools {
namespace {

using test::message_of;
using ::testing::HasSubstr;

TEST(UnseenSuites, ShareNothingWithTheBenchmarkSets) {
    for (const char* suite : {"unseen", "unseen-small"}) {
        for (const auto source : bench::find_suite(suite).sources) {
            for (const auto& set : benchmark_sets())
                EXPECT_EQ(std::ranges::count(set.sources, source), 0) << source << " is in " << set.name;
        }
    }
}

TEST(UnseenSuites, AreOfTheSizesThatAreSaid) {
    for (const auto source : bench::find_suite("unseen-small").sources) {
        const auto nonzeros = generate<float>(std::string(source.substr(4))).nnz();
        EXPECT_GE(nonzeros, 50'000) << source;
        EXPECT_LE(nonzeros, 1'200'000) << source;
    }
}

TEST(BenchmarkSets, AreMatricesOfEveryKindWithoutRepetition) {
    const auto& full = find_benchmark_set("full").sources;
    EXPECT_EQ(full.size(), find_benchmark_set("short").sources.size() + drawn_matrices().size());
    EXPECT_EQ(std::set<std::string>(full.begin(), full.end()).size(), full.size());
    EXPECT_THAT(message_of([] { find_benchmark_set("huge"); }),
                HasSubstr("2: unknown set 'huge'; there are full, short, tiny"));
    for (const auto& source : find_benchmark_set("tiny").sources)
        EXPECT_GT(generate<float>(source.substr(4)).nnz(), 1000);
}

TEST(DrawnMatrices, AreOfTheSizesThatAreSaid) {
    const auto all = drawn_matrices();
    EXPECT_EQ(all, drawn_matrices());
    for (std::size_t i = 0; i < all.size(); i += 40) {  // of nearly every kind one
        const auto nnz = generate<float>(all[i].substr(4)).nnz();
        EXPECT_GT(nnz, 5'000) << all[i];
        EXPECT_LT(nnz, 30'000'000) << all[i];
    }
}

}  // namespace
}  // namespace tilespmv::tools
