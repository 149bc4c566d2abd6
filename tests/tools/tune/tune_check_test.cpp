#include "tools/tune/check.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/tools/tune/tune_fixture.hpp"

namespace tilespmv::tools {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

using TuneCheckTest = TuneTest;

TEST_F(TuneCheckTest, CheckFindsWhatModelsAndRulesLose) {
    const Profile profile = tune(gpu, options).profile;
    const CheckOptions unseen{.sources = {"gen:laplace3d:n=13", "gen:uniform:n=3000,per_row=7", "gen:nonsense"}};
    const CheckOutcome outcome = check(gpu, profile, unseen);
    EXPECT_EQ(outcome.summary.matrices, 2);
    ASSERT_EQ(outcome.errors.size(), 1U);
    EXPECT_THAT(outcome.errors[0], HasSubstr("gen:nonsense"));
    EXPECT_GE(outcome.summary.accuracy, 0.95) << "planted";
    EXPECT_GT(outcome.summary.accuracy, outcome.summary.naive_accuracy);
    EXPECT_EQ(outcome.summary.models.near_best, 1);
    for (const auto& m : outcome.matrices) {
        EXPECT_EQ(m.best, "brand-new");
        EXPECT_EQ(m.by_models, "brand-new");
        EXPECT_THAT(m.by_rules, Not("brand-new")) << "which the rules do not know";
        EXPECT_NEAR(m.rules_seconds / m.best_seconds, m.by_rules == "csr16" ? 0.9 / 0.6 : 1 / 0.6, 0.1);
    }
    EXPECT_THAT(check_text(outcome), HasSubstr("not checked: gen:nonsense"));
}

TEST_F(TuneCheckTest, CheckStopsAtTheLimitOfTimeAndSaysWhatIsLeft) {
    const Profile profile = tune(gpu, options).profile;
    const CheckOutcome outcome = check(gpu, profile, {.sources = {"gen:laplace3d:n=13"}, .seconds = 0});
    EXPECT_TRUE(outcome.matrices.empty());
    EXPECT_EQ(outcome.left, 1);
    EXPECT_THAT(check_text(outcome), HasSubstr("1 matrices left: give more --seconds"));
}

}  // namespace
}  // namespace tilespmv::tools
