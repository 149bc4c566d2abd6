#include "tools/tune/check.hpp"

#include <algorithm>
#include <map>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "selector/models/profile_file.hpp"
#include "tests/support/message_of.hpp"
#include "tests/tools/tune/tune_fixture.hpp"

namespace tilespmv::tools {
namespace {

using test::message_of;
using ::testing::ContainsRegex;
using ::testing::HasSubstr;
using ::testing::Not;

using TuneCheckTest = TuneTest;

TEST_F(TuneCheckTest, CheckFindsWhatModelsAndRulesLose) {
    const Profile profile = tune(gpu, options).profile;
    const CheckOptions unseen{.sources = {"gen:laplace3d:n=13", "gen:uniform:n=3000,per_row=7", "gen:nonsense"},
                              .sizes = 7};
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
    EXPECT_EQ(outcome.shapes.size(), 2U * 7);
    EXPECT_LE(outcome.summary.vectors.average_loss, 1.03);
    EXPECT_THAT(check_text(outcome), HasSubstr("not checked: gen:nonsense"));
}

TEST_F(TuneCheckTest, CheckStopsAtTheLimitOfTimeAndSaysWhatIsLeft) {
    const Profile profile = tune(gpu, options).profile;
    const CheckOutcome outcome = check(gpu, profile, {.sources = {"gen:laplace3d:n=13"}, .sizes = 7, .seconds = 0});
    EXPECT_TRUE(outcome.matrices.empty());
    EXPECT_TRUE(outcome.shapes.empty());
    EXPECT_EQ(outcome.left, 1 + 7);
    EXPECT_THAT(check_text(outcome), HasSubstr("8 matrices and sizes of vectors left: give more --seconds"));
}

TEST(CheckText, NamesTheLaunchShapesThatLoseTheMost) {
    CheckOutcome outcome;
    const auto add = [&](const char* kernel, double chosen) {
        outcome.shapes.push_back({.kernel = kernel,
                                  .n = 100'000,
                                  .chosen = {256, 4, 0},
                                  .best = {512, 1, 132},
                                  .chosen_seconds = chosen * 1e-6,
                                  .best_seconds = 2e-6});
    };
    add("copy", 2.1);
    EXPECT_THAT(check_text(outcome), Not(HasSubstr("copy"))) << "a twentieth";
    add("axpy", 2.4);
    add("dot", 3.0);
    const std::string text = check_text(outcome);
    EXPECT_THAT(text, ContainsRegex("dot +100,000 +98 x 256 x 4 +3.0 us +132 x 512 x 1 +2.0 us +1.50"));
    EXPECT_LT(text.find("dot"), text.find("axpy")) << "the worst first";
    for (int i = 0; i < 9; ++i) add("fill", 4);
    EXPECT_THAT(check_text(outcome), Not(HasSubstr("axpy"))) << "five";
}

TEST_F(TuneCheckTest, CheckOfVectorsTakesEverySizeOnce) {
    const Profile profile = tune(gpu, options).profile;
    for (const int sizes : {1, 2, 7, 10}) {
        std::map<std::size_t, int> times;
        for (const auto& shape : check(gpu, profile, {.sizes = sizes}).shapes) ++times[shape.n];
        std::map<std::size_t, int> expected;
        for (const std::size_t n : sizes_to_check(sizes)) expected[n] = 2;  // kernels
        EXPECT_EQ(times, expected);
    }
}

TEST_F(TuneCheckTest, TimesOfACheckAreKeptForOtherTrees) {
    Profile profile = tune(gpu, options).profile;
    const CheckOutcome checked = check(gpu, profile, {.only = "dot", .sizes = 12});
    ASSERT_EQ(checked.shapes.size(), 12U);
    ASSERT_EQ(checked.times.size(), 1U);
    Profile kept;
    kept.vectors = checked.times;
    kept = parse_profile(profile_text(kept), "kept");
    const CheckOutcome again = check_against(profile, kept.vectors);
    EXPECT_EQ(again.shapes.size(), 12U);
    EXPECT_TRUE(again.errors.empty());
    EXPECT_NEAR(again.summary.vectors.mean_loss, checked.summary.vectors.mean_loss, 1e-12);

    for (VectorProfile& one : profile.vectors) {
        one.points.clear();  // so that the tree stays
        one.model.tree = {{0, kEndless, {1024, 4, 1}}};
    }
    EXPECT_GT(check_against(profile, kept.vectors).summary.vectors.mean_loss, 1.3);
    for (VectorProfile& one : profile.vectors) one.model.tree = {{0, kEndless, {96, 4, 0}}};
    EXPECT_EQ(check_against(profile, kept.vectors).errors.size(), 12U) << "no such shape was measured";
    EXPECT_EQ(message_of([&] { check(gpu, profile, {.only = "dots"}); }),
              "2: the profile has no kernel 'dots' to check");
    EXPECT_THAT(message_of([&] { check_against(profile, {}); }), HasSubstr("there are no times"));
}

TEST(SizesToCheck, AreSpreadByFactors) {
    const auto sizes = sizes_to_check(50);
    EXPECT_EQ(sizes.size(), 50U);
    EXPECT_TRUE(std::ranges::is_sorted(sizes));
    EXPECT_EQ(sizes.front(), 1501U);
    EXPECT_EQ(sizes.back(), 20'000'000U);
    EXPECT_EQ(std::ranges::count_if(sizes, [](std::size_t n) { return n % 2 == 1; }), 25) << "both kinds";
    EXPECT_TRUE(sizes_to_check(0).empty());
}

}  // namespace
}  // namespace tilespmv::tools
