#include "tools/options/operator_list.hpp"

#include <algorithm>

#include <gmock/gmock.h>

#include "bench/harness/contest.hpp"
#include "tests/support/lists.hpp"
#include "tile/error.hpp"

namespace tilespmv::tools {
namespace {

using testing::Contains;
using testing::ElementsAre;

TEST(ContestOperators, OnACpuAreAllButTheOracleTheBaselineFirst) {
    const auto all = test::cpu_contestants();
    EXPECT_THAT(all, testing::IsSupersetOf({"csr-omp", "auto", "tile-omp", "strip-omp", "coo-omp", "hyb-omp"}));
    EXPECT_EQ(contest_operators<double>(Backend::cpu, {}, {"csr-omp"}), all);
    EXPECT_THAT(contest_operators<double>(Backend::cpu, {}, {"tile-omp"}), testing::UnorderedElementsAreArray(all));
    EXPECT_EQ(contest_operators<double>(Backend::cpu, {}, {"tile-omp"}).front(), "tile-omp");
    EXPECT_THAT(contest_operators<double>(Backend::cpu, {"tile-omp", "reference"}, {"csr-omp"}),
                ElementsAre("csr-omp", "tile-omp", "reference"));
    EXPECT_THAT(contest_operators<double>(Backend::cpu, {"tile-omp"}, {"csr"}), ElementsAre("csr-omp", "tile-omp"));
    EXPECT_THAT(contest_operators<double>(Backend::cpu, {"csr-omp", "tile-omp", "csr-omp"}, {"csr-omp", "csr"}),
                ElementsAre("csr-omp", "tile-omp"));
}

TEST(ContestOperators, BaselineThatNothingStandsForIsAUsageError) {
    EXPECT_THROW(contest_operators<double>(Backend::cpu, {}, {"magic"}), Error);
}

// Lists are empty in a build without CUDA.
TEST(ContestOperators, OnAGpuBaselinesStandForWholeFamilies) {
    const auto families = operators<double>(Backend::cuda);
    const auto all = contest_operators<double>(Backend::cuda, {}, {"cusparse", "cusparse-csr"});
    EXPECT_EQ(all.empty(), families.empty());
    for (const auto& family : families) {
        const auto count = std::ranges::count_if(
            all, [&](const std::string& one) { return one.substr(0, one.find(':')) == family.name; });
        if (family.name.starts_with("cusparse")) {
            EXPECT_GE(count, 1) << family.name;
        } else {
            EXPECT_EQ(count, family.only_if_named ? 0 : 1) << family.name;
        }
    }
    if (!families.empty()) {
        EXPECT_EQ(expand_operators<double>(Backend::cuda, {"ell"}), std::vector<std::string>{"ell"});
        EXPECT_THAT(contest_operators<double>(Backend::cuda, {}, {"tile-warp"}), Contains("tile"));
    }
}

bool has(const std::string& name) {
    return std::ranges::count(operators<double>(Backend::cuda), name, &OperatorEntry::name) > 0;
}

TEST(ContestOperators, CusparseTakesPartWithAllItsSweeps) {
    if (!has("cusparse-csr")) GTEST_SKIP() << "this build has no cuSPARSE";
    EXPECT_THAT(contest_operators<double>(Backend::cuda, {"tile"}, {"cusparse-csr", "csr-merge"}),
                ElementsAre("cusparse-csr:alg=1", "cusparse-csr:alg=2", "csr-merge", "tile"));
}

TEST(ChooseOperator, SumsInWhatItDoesUnlessAskedForAnother) {
    EXPECT_EQ(choose_operator<float>(Backend::cpu, "csr-omp").accumulator, Accumulator::float64);
    EXPECT_THROW(choose_operator<float>(Backend::cpu, "csr-omp", Accumulator::float32), Error);
    if (!has("tile")) GTEST_SKIP() << "this build has no operators for the GPU";
    EXPECT_EQ(choose_operator<float>(Backend::cuda, "tile").accumulator, Accumulator::float64);
    EXPECT_EQ(choose_operator<float>(Backend::cuda, "tile", Accumulator::float32).accumulator, Accumulator::float32);
    EXPECT_THROW(choose_operator<double>(Backend::cuda, "tile", Accumulator::float32), Error);
    if (has("cusparse-csr")) {
        EXPECT_EQ(choose_operator<float>(Backend::cuda, "cusparse-csr").accumulator, Accumulator::float32);
    }
}

}  // namespace
}  // namespace tilespmv::tools
