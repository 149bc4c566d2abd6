#include "kernels/auto/auto_options.hpp"

#include <cstdlib>

#include <gtest/gtest.h>

#include "selector/models/modelled_operators.hpp"
#include "selector/models/profile_file.hpp"
#include "tests/temporary_directory.hpp"

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
    OperatorQuestion question;
    question.features.rows = question.features.cols = 1000;
    question.features.nnz = 5000;
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

}  // namespace
}  // namespace tilespmv
