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

/// A profile by which only `modelled` is any good, as `tune` leaves it before a check.
Profile unchecked_profile() {
    SpmvModel model{.specification = "modelled", .costs = std::vector<double>(model_terms().size()), .anchors = {}};
    model.costs[0] = 1e-3;
    Profile profile;
    profile.models.push_back(model);
    return profile;
}

TEST(RankForAuto, AsksAProfileThatDoesNotDecideForATrialOnly) {
    const test::TemporaryDirectory folder;
    setenv("XDG_CACHE_HOME", folder.path().c_str(), 1);
    unsetenv("TILESPMV_PROFILE");
    const Profile profile = unchecked_profile();
    write_profile(default_profile_file(kMachine), profile);
    const auto a = generate<double>("laplace2d:n=30");
    const OperatorQuestion question{.features = features_of(pattern_of(a))};
    const auto first = [&](const AutoOptions& options) {
        return rank_for_auto(question, options, kMachine).front().specification;
    };
    EXPECT_EQ(first({}), rank_operators(question).front().specification);
    AutoOptions trial;
    trial.is_tried = true;
    EXPECT_EQ(first(trial), "modelled");
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
        OperatorQuestion question{.features = {}, .gpu = cuda::measured_gpu(sizeof(float)), .products = 0};
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

}  // namespace
}  // namespace tilespmv
