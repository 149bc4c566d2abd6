#include "kernels/auto/auto_options.hpp"

#include <cstdlib>

#include <gtest/gtest.h>

#include "selector/models/modelled_operators.hpp"
#include "selector/models/profile_file.hpp"
#include "tests/temporary_directory.hpp"
#include "tile/generate/generate.hpp"

namespace tilespmv {
namespace {

constexpr const char* kMachine = "a machine of this test";

/// A profile without a check, by which each of these takes longer than the one before.
Profile profile_of(std::initializer_list<std::string> specifications) {
    Profile profile;
    for (const auto& one : specifications) {
        SpmvModel model{.specification = one, .costs = std::vector<double>(model_terms().size()), .anchors = {}};
        model.costs[0] = 1e-3 * static_cast<double>(profile.models.size() + 1);
        profile.models.push_back(model);
    }
    return profile;
}

TEST(RankForAuto, AsksAProfileThatDoesNotDecideForATrialOnly) {
    const test::TemporaryDirectory folder;
    setenv("XDG_CACHE_HOME", folder.path().c_str(), 1);
    unsetenv("TILESPMV_PROFILE");
    write_profile(default_profile_file(kMachine), profile_of({"coo-omp"}));
    const auto a = generate<double>("laplace2d:n=30");
    const OperatorQuestion question{.features = features_of(pattern_of(a))};
    const auto first = [&](const AutoOptions& options) {
        return rank_for_auto(question, options, kMachine).front().specification;
    };
    EXPECT_EQ(first({}), rank_operators(question).front().specification);
    AutoOptions trial;
    trial.is_tried = true;
    EXPECT_EQ(first(trial), "coo-omp");
    setenv("TILESPMV_PROFILE", "none", 1);
    EXPECT_EQ(first(trial), rank_operators(question).front().specification);
    unsetenv("TILESPMV_PROFILE");
}

TEST(ChooseForAuto, TakesTheFirstOfTheRanking) {
    const test::TemporaryDirectory folder;
    setenv("XDG_CACHE_HOME", folder.path().c_str(), 1);
    unsetenv("TILESPMV_PROFILE");
    const char* const h200 = "NVIDIA H200";
    for (const char* generator :
         {"laplace2d:n=30", "rmat:scale=10,degree=8", "laplace2d:n=300", "dense:rows=3,cols=0"}) {
        const auto a = generate<float>(generator);
        PatternView pattern = pattern_of(a);
        pattern.sum_bytes = 4;
        OperatorQuestion question{.features = {}, .gpu = measured_gpu(sizeof(float)), .products = 0};
        for (const char* machine : {h200, kMachine}) {
            for (const offset_t products : {0, 1, 1'000'000}) {
                question.products = products;
                const auto chosen = choose_for_auto(pattern, question, {}, machine);
                OperatorQuestion with_all = question;
                with_all.features = features_of(pattern);
                EXPECT_EQ(chosen, rank_for_auto(with_all, {}, machine).front().specification)
                    << generator << " on " << machine << ", " << products << " products";
            }
        }
    }
}

/// A profile may be of a build with other operators, and `auto` in it would choose for ever.
TEST(RankForAuto, PassesOverWhatThisBuildLacks) {
    const test::TemporaryDirectory folder;
    const auto a = generate<double>("laplace2d:n=30");
    const OperatorQuestion question{.features = features_of(pattern_of(a))};
    const auto ranked = [&](const char* file, std::initializer_list<std::string> specifications, bool is_tried) {
        AutoOptions options;
        options.is_tried = is_tried;
        options.profile = folder.path() / file;
        write_profile(options.profile, profile_of(specifications));
        std::vector<std::string> all;
        for (const auto& one : rank_for_auto(question, options, kMachine)) all.push_back(one.specification);
        return all;
    };
    for (const bool is_tried : {false, true}) {
        EXPECT_EQ(ranked("some.json", {"of-another-build", "auto", "csr-vector", "csr-omp"}, is_tried),
                  std::vector<std::string>{"csr-omp"});
        EXPECT_EQ(ranked("none.json", {"of-another-build:a=1", "auto:products=1"}, is_tried).front(),
                  rank_operators(question).front().specification)
            << "by the rules";
    }
}

TEST(ChooseForAuto, PassesOverWhatThisBuildLacks) {
    const test::TemporaryDirectory folder;
    Profile profile = profile_of({"of-another-build", "csr-merge"});
    profile.probe.is_gpu = true;
    SmallModel small{.sizes = {8, 8}, .matrices = 1};
    small.operators = {SmallModel::Times::of("of-another-build", -20), SmallModel::Times::of("auto", -19),
                       SmallModel::Times::of("csr-vector", -18), SmallModel::Times::of("csr-merge", -17)};
    small.places.resize(SmallModel::kCoordinates);
    small.weights.resize(small.operators.size());
    AutoOptions options;
    options.profile = folder.path() / "gpu.json";
    const auto a = generate<double>("laplace2d:n=30");
    const OperatorQuestion question{.features = {}, .gpu = measured_gpu(sizeof(double))};
    const auto chosen = [&] {
        write_profile(options.profile, profile);
        return choose_for_auto(pattern_of(a), question, options, kMachine);
    };
    EXPECT_EQ(chosen(), "csr-merge");
    profile.small_models = {small};
    options.profile = folder.path() / "small.json";
    EXPECT_EQ(chosen(), "csr-vector");
}

}  // namespace
}  // namespace tilespmv
