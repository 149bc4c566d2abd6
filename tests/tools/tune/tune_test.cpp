#include "tools/tune/tune.hpp"

#include <algorithm>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "selector/models/profile_file.hpp"
#include "tests/support/message_of.hpp"
#include "tests/tools/tune/tune_fixture.hpp"
#include "tools/tune/check.hpp"
#include "tools/tune/tune_text.hpp"

namespace tilespmv::tools {
namespace {

using test::FakeMeasurer;
using test::message_of;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

TEST_F(TuneTest, MeasuresFitsAndKeepsEverything) {
    const TuneOutcome outcome = tune(gpu, options);
    EXPECT_EQ(outcome.left, 0);
    EXPECT_EQ(outcome.measured, gpu.all_measured());
    EXPECT_EQ(static_cast<std::size_t>(outcome.measured), points(outcome.profile));
    EXPECT_EQ(read_profile(options.file), outcome.profile);
    EXPECT_EQ(outcome.profile.matrices.size(), 8U) << "the tiny set";
    const auto& refused = outcome.profile.matrices[0].products.back();
    EXPECT_EQ(refused.specification, "ell");
    EXPECT_EQ(refused.error, "refused: ELL would be large");
    EXPECT_THAT(tune_text(outcome), HasSubstr("brand-new"));
}

// The next matrix is made while products are timed, by the threads that preparations need.
TEST_F(TuneTest, PreparesWhenTheProductsOfAMatrixAreTimed) {
    const TuneOutcome outcome = tune(gpu, options);
    const std::vector<std::string> of_a_matrix{"brand-new",         "csr-merge",         "csr16",        "ell",
                                               "prepare brand-new", "prepare csr-merge", "prepare csr16"};
    ASSERT_EQ(gpu.of_matrices.size(), 8 * of_a_matrix.size());
    for (std::size_t i = 0; i < gpu.of_matrices.size(); ++i) {
        EXPECT_EQ(gpu.of_matrices[i], of_a_matrix[i % of_a_matrix.size()]) << i;
    }
    const auto& products = outcome.profile.matrices.back().products;
    EXPECT_EQ(products.front().preparation_seconds, FakeMeasurer::kPreparationSeconds);
    EXPECT_EQ(products.back().preparation_seconds, 0) << "refused";
}

TEST_F(TuneTest, AnOptionThatNoOperatorHasIsNoRefusal) {
    gpu.operators_by_name["csr16:no-such-option=1"] = 1;
    EXPECT_EQ(message_of([&] { tune(gpu, options); }), "2: no such option");
}

TEST_F(TuneTest, AnOperatorThatWasAddedAppearsEverywhere) {
    tune(gpu, options);
    gpu.measured.clear();
    gpu.operators_by_name["slicing"] = 0.5;
    const Profile profile = tune(gpu, options).profile;
    EXPECT_EQ(gpu.all_measured(), gpu.measured["slicing"]) << "nothing else is measured again";
    EXPECT_EQ(gpu.measured["slicing"], 8);
    EXPECT_EQ(std::ranges::count(profile.models, "slicing", &SpmvModel::specification), 1);
    const auto question = question_on(profile.probe, profile.matrices[3].features);
    EXPECT_EQ(rank_operators(question, profile).front().specification, "slicing");
    EXPECT_THAT(profile_text(profile), HasSubstr("slicing"));
    EXPECT_THAT(tune_text({.profile = profile}), HasSubstr("slicing"));
    EXPECT_THAT(check_text(check(gpu, profile, {.sources = {"gen:laplace2d:n=33"}})), HasSubstr("slicing"));
}

TEST_F(TuneTest, OnlyForgetsNothingOfMatricesThatItDoesNotMeasure) {
    options.sources.insert(options.sources.begin(), "gen:laplace2d:n=41");
    const std::size_t all = points(tune(gpu, options).profile);
    options.sources.erase(options.sources.begin());
    options.only = "csr16";
    EXPECT_EQ(points(tune(gpu, options).profile), all);
}

TEST_F(TuneTest, MeasuresAMatrixOnceThatIsNamedTwice) {
    options.sources.insert(options.sources.begin(), options.sources.back());
    const TuneOutcome outcome = tune(gpu, options);
    EXPECT_EQ(outcome.measured, gpu.all_measured());
    EXPECT_EQ(static_cast<std::size_t>(outcome.measured), points(outcome.profile));
    for (const auto& matrix : outcome.profile.matrices) {
        EXPECT_EQ(std::ranges::count(matrix.products, "csr16", &ProductTime::specification), 1) << matrix.name;
    }
}

TEST_F(TuneTest, OtherSumsAreOtherMeasurementsAndModels) {
    const std::size_t all = points(tune(gpu, options).profile);
    gpu.measured.clear();
    gpu.sums = 4;
    gpu.operators_by_name["csr16"] = 0.3;
    const Profile profile = tune(gpu, options).profile;
    EXPECT_EQ(gpu.measured["csr16"], 8);
    EXPECT_EQ(points(profile), all + static_cast<std::size_t>(gpu.all_measured()));
    EXPECT_EQ(profile.matrices.size(), 16U);
    EXPECT_EQ(read_profile(options.file), profile);
    MatrixFeatures f = profile.matrices[3].features;
    const auto seconds_with_sums = [&](std::size_t bytes) {
        f.sum_bytes = bytes;
        for (const auto& one : rank_operators(question_on(profile.probe, f), profile)) {
            if (one.specification == "csr16") return one.seconds;
        }
        return 0.0;
    };
    EXPECT_NEAR(seconds_with_sums(4) / seconds_with_sums(8), 1. / 3, 0.05);

    options.only = "csr16";
    gpu.measured.clear();
    EXPECT_EQ(points(tune(gpu, options).profile), points(profile)) << "those with other sums stay";
    EXPECT_EQ(gpu.measured["csr16"], 8);
}

TEST_F(TuneTest, ValuesOf16BitsHaveModelsOfOperatorsAloneForBothTypes) {
    const std::size_t all = points(tune(gpu, options).profile);
    gpu.measured.clear();
    gpu.of_16_bits = {{"csr16", 0.2}};
    options.values = {"float16"};
    const Profile profile = tune(gpu, options).profile;
    EXPECT_EQ(gpu.measured["csr16"], 8);
    EXPECT_EQ(points(profile), all + static_cast<std::size_t>(gpu.all_measured()));
    EXPECT_EQ(std::ranges::count(profile.models, (NumberSizes{2, 4}), &SpmvModel::sizes), 3) << "one an operator";
    EXPECT_EQ(read_profile(options.file), profile);

    MatrixFeatures f = profile.matrices[3].features;
    const auto first = [&](const NumberSizes& sizes) {
        f.value_bytes = sizes.value;
        f.sum_bytes = sizes.sum;
        return rank_operators(question_on(profile.probe, f), profile).front().specification;
    };
    EXPECT_EQ(first({8, 8}), "brand-new");
    EXPECT_EQ(first({2, 4}), "csr16");

    const auto checked = check(gpu, profile, {.sources = {"gen:laplace3d:n=13"}, .values = "bfloat16"});
    ASSERT_EQ(checked.matrices.size(), 1U);
    EXPECT_EQ(checked.matrices[0].by_models, "csr16");
    EXPECT_EQ(checked.matrices[0].best, "csr16");
    EXPECT_GE(checked.summary.accuracy, 0.95) << "by the models of the other type";
    EXPECT_EQ(checked.summary.values, "bfloat16");
}

TEST_F(TuneTest, GoesOnAfterAnInterruption) {
    const TuneOutcome whole = tune(gpu, options);
    options.file = folder.path() / "interrupted.json";
    FakeMeasurer weak;
    weak.left = whole.measured - 10;  // within the last matrices
    EXPECT_THROW(tune(weak, options), std::runtime_error);
    ASSERT_TRUE(std::filesystem::exists(options.file)) << "something was kept";
    const std::size_t kept = points(read_profile(options.file));
    EXPECT_GT(kept, 0U);
    FakeMeasurer again;
    const TuneOutcome rest = tune(again, options);
    EXPECT_EQ(static_cast<std::size_t>(again.all_measured()) + kept, static_cast<std::size_t>(whole.measured));
    EXPECT_EQ(points(rest.profile), points(whole.profile));
    EXPECT_EQ(rest.profile.models, whole.profile.models);
}

TEST_F(TuneTest, StopsAtTheLimitOfTimeAndSaysWhatIsLeft) {
    options.seconds = 0;
    const TuneOutcome nothing = tune(gpu, options);
    EXPECT_EQ(nothing.measured, 0);
    EXPECT_GT(nothing.left, 0);
    EXPECT_THAT(tune_text(nothing), HasSubstr("left: run it again to go on"));
    options.seconds = 1e9;
    EXPECT_EQ(tune(gpu, options).measured, nothing.left);
}

TEST_F(TuneTest, KeepsToTheTimeAndGoesOnUntilAllIsMeasured) {
    gpu.delay = std::chrono::milliseconds(10);
    options.seconds = 0.15;
    int measured = 0;
    for (int run = 0; run < 20; ++run) {
        gpu.of_matrices.clear();
        const TuneOutcome outcome = tune(gpu, options);
        EXPECT_LE(gpu.of_matrices.size(), 16) << "times and preparations of 10 ms each";
        EXPECT_GT(outcome.measured, 0);
        measured += outcome.measured;
        if (outcome.left == 0) break;
    }
    EXPECT_EQ(measured, 8 * 4);
    EXPECT_EQ(tune(gpu, options).measured, 0);
}

TEST_F(TuneTest, ReplacesAProbeByAClearlyBetterOne) {
    const double rate = gpu.machine.read_rate;
    const double launch = gpu.machine.graph_launch_seconds;
    gpu.machine.read_rate = 1.7e9;
    gpu.machine.graph_launch_seconds = 10 * launch;
    tune(gpu, options);
    const auto probed = [&](double by) {
        gpu.machine.read_rate = by * rate;
        gpu.machine.graph_launch_seconds = launch / by;
        return tune(gpu, options).profile.probe;
    };
    EXPECT_EQ(probed(1).read_rate, rate);
    EXPECT_EQ(probed(1).graph_launch_seconds, launch);
    for (const double by : {1.05, 0.95, 0.01}) {
        EXPECT_EQ(probed(by).read_rate, rate) << by;
        EXPECT_EQ(probed(by).graph_launch_seconds, launch) << by;
    }
}

TEST_F(TuneTest, MeasuresOnlyWhatIsNamedAgain) {
    const TuneOutcome before = tune(gpu, options);
    gpu.measured.clear();
    gpu.operators_by_name["csr16"] = 2;
    options.only = "csr16";
    const TuneOutcome after = tune(gpu, options);
    EXPECT_EQ(gpu.all_measured(), 8);
    EXPECT_EQ(gpu.measured["csr16"], 8);
    EXPECT_EQ(points(after.profile), points(before.profile));
    const auto accurate = std::ranges::find(after.profile.models, "csr16", &SpmvModel::specification);
    EXPECT_GT(accurate->costs[0], 3.5e-6) << "fitted to the new times";

    gpu.measured.clear();
    options.only = "csr17";
    EXPECT_THAT(message_of([&] { tune(gpu, options); }),
                HasSubstr("2: there is no operator 'csr17' to tune; there are brand-new"));
}

TEST_F(TuneTest, RefusesTheProfileOfAnotherMachine) {
    tune(gpu, options);
    gpu.machine.name = "Other GPU";
    EXPECT_THAT(message_of([&] { tune(gpu, options); }),
                HasSubstr("is the profile of another machine (Test GPU, this is Other GPU)"));
    options.restart = true;
    EXPECT_EQ(tune(gpu, options).profile.probe.name, "Other GPU");
}

TEST_F(TuneTest, TellsThatAnotherBuildMeasured) {
    EXPECT_FALSE(tune(gpu, options).is_other_build);
    EXPECT_FALSE(tune(gpu, options).is_other_build);
    options.build.revision = "def";
    EXPECT_TRUE(tune(gpu, options).is_other_build);
}

/// Found good.
ProfileCheck good_check(const std::string& values, const NumberSizes& sizes) {
    constexpr ChoiceQuality good{10, 1, 1.01, 1.01, 1.1};
    return {.values = values, .sizes = sizes, .models = good, .rules = {10, 1, 1.05, 1, 2}};
}

TEST_F(TuneTest, ForgetsTheCheckOfOtherModelsAlone) {
    options.values = {"float64", "float32"};
    Profile profile = tune(gpu, options).profile;
    keep_check(profile, good_check("float64", {8, 8}));
    keep_check(profile, good_check("float32", {4, 8}));
    write_profile(options.file, profile);
    const TuneOutcome same = tune(gpu, options);
    EXPECT_EQ(same.profile.checks, profile.checks) << "the same models";
    EXPECT_TRUE(same.outdated.empty());

    options.values = {"float64"};
    options.only = "csr16";
    gpu.operators_by_name["csr16"] = 2;
    const TuneOutcome after = tune(gpu, options);
    EXPECT_THAT(after.outdated, ElementsAre(NumberSizes{8, 8}));
    ASSERT_EQ(after.profile.checks.size(), 1U);
    EXPECT_EQ(*find_check(after.profile, {4, 8}), profile.checks[1]) << "of the other type";
}

TEST_F(TuneTest, WantsACheckOfCompleteModelsAndOfNewOnesThatWereChecked) {
    constexpr NumberSizes sizes{8, 8};
    const auto wants = [&] { return wants_check(options, tune(gpu, options), sizes); };
    EXPECT_FALSE(wants()) << "a tiny set";
    options.set = "full";
    options.seconds = 0;
    options.restart = true;
    EXPECT_FALSE(wants()) << "not complete";
    options.seconds = 1e9;
    EXPECT_TRUE(wants());
    options.restart = false;
    EXPECT_TRUE(wants()) << "measured before";
    options.only = "csr16";
    EXPECT_FALSE(wants()) << "it was not checked";
    options.only = "";

    Profile profile = read_profile(options.file);
    keep_check(profile, good_check("float64", sizes));
    write_profile(options.file, profile);
    EXPECT_FALSE(wants()) << "checked";
    options.only = "csr16";
    gpu.operators_by_name["csr16"] = 2;
    EXPECT_TRUE(wants());
}

}  // namespace
}  // namespace tilespmv::tools
