#include "selector/models/spmv_model.hpp"

#include <algorithm>
#include <limits>
#include <random>

#include <omp.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "selector/models/profile.hpp"
#include "tests/selector/models/synthetic.hpp"

namespace tilespmv {
namespace {

using test::h200_like;
using test::product_seconds;
using test::random_features;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::Not;

const std::vector<std::string> kOperators{"csr-merge", "csr-vector:threads=4", "csr-vector:threads=32", "brand-new"};

std::vector<MeasuredMatrix> benchmark(int matrices, double noise) {
    std::mt19937 random(7);
    std::uniform_real_distribution<double> error(1 - noise, 1 + noise);
    std::vector<MeasuredMatrix> all;
    for (int i = 0; i < matrices; ++i) {
        MeasuredMatrix m{"matrix " + std::to_string(i), "float64", random_features(random), {}};
        double scale = 1;
        for (const auto& name : kOperators) {
            const auto candidate = modelled_operator(true, name);
            const double seconds = product_seconds(candidate, m.features, h200_like(), scale) * error(random);
            m.products.push_back({.specification = name, .seconds = seconds, .preparation_seconds = 1e-4, .error = {}});
            scale += 0.2;
        }
        m.products.push_back({.specification = "ell", .error = "refused"});
        all.push_back(m);
    }
    return all;
}

TEST(SpmvModel, PredictsMatricesThatItHasNotSeen) {
    auto matrices = benchmark(70, 0.02);
    const auto models = fit_spmv_models(matrices, h200_like());
    EXPECT_EQ(models.size(), kOperators.size()) << "none of what could not be made";
    for (const SpmvModel& model : models) {
        EXPECT_GE(model.accuracy, 0.97) << model.specification;
        EXPECT_GE(model.held_out_accuracy, 0.95) << model.specification;
        EXPECT_LE(model.doubt, 0.06) << model.specification;
        EXPECT_NEAR(model.preparation[0], 1e-4, 1e-6);
    }
    for (const auto& m : matrices) {
        for (const auto& product : m.products) EXPECT_EQ(product.predicted > 0, product.error.empty());
    }
    std::mt19937 random(99);
    std::vector<PredictedTime> unseen;
    const Probe probe = h200_like();
    for (int i = 0; i < 50; ++i) {
        const auto f = random_features(random);
        const auto candidate = modelled_operator(true, "csr-merge");
        const auto work = product_work(candidate, f, probe);
        const auto* const model = find_model(models, "csr-merge", {8, 8});
        unseen.push_back({predict(*model, work), product_seconds(candidate, f, h200_like(), 1)});
    }
    EXPECT_GE(mean_accuracy(unseen), 0.97);
}

TEST(SpmvModel, DoesNotDependOnTheNumberOfThreads) {
    const int before = omp_get_max_threads();
    auto by_one = benchmark(40, 0.1);
    auto by_four = by_one;
    omp_set_num_threads(1);
    const auto expected = fit_spmv_models(by_one, h200_like());
    omp_set_num_threads(4);
    EXPECT_EQ(fit_spmv_models(by_four, h200_like()), expected);
    EXPECT_EQ(by_four, by_one) << "what was held out";
    omp_set_num_threads(before);
}

TEST(SpmvModel, LearnsFromSimilarMatricesWhatASumCannotSay) {
    // Seven kinds of matrices in several sizes; each takes longer or shorter for a reason that no term knows.
    auto matrices = benchmark(70, 0.01);
    std::mt19937 random(3);
    for (std::size_t kind = 0; kind < 7; ++kind) {
        const MatrixFeatures shape = random_features(random);
        for (std::size_t i = kind; i < matrices.size(); i += 7) {
            const double grown = std::pow(1.8, static_cast<double>(i / 7));
            matrices[i].features = shape;
            matrices[i].features.nnz = static_cast<offset_t>(1e5 * grown);
            matrices[i].features.rows = matrices[i].features.cols = static_cast<index_t>(1e5 * grown / shape.mean_row);
            const auto candidate = modelled_operator(true, "csr-merge");
            matrices[i].products.resize(1);
            matrices[i].products[0].specification = "csr-merge";
            matrices[i].products[0].error.clear();
            matrices[i].products[0].seconds = (0.7 + 0.1 * static_cast<double>(kind)) *
                                              product_seconds(candidate, matrices[i].features, h200_like(), 1);
        }
    }
    for (const SpmvModel& model : fit_spmv_models(matrices, h200_like())) {
        EXPECT_FALSE(model.anchors.empty());
        EXPECT_GE(model.held_out_accuracy, 0.92) << "of " << model.matrices << "; sums of costs alone reach 0.87";
    }
}

TEST(SpmvModel, LearnsFromMatricesInTheCacheAndBeyondTogether) {
    auto matrices = benchmark(70, 0);
    std::erase_if(matrices, [](const MeasuredMatrix& m) { return m.features.nnz > 2'000'000; });
    matrices.back().features.nnz = 40'000'000;  // the only one that is streamed
    auto& product = matrices.back().products[0];
    const Probe probe = h200_like();
    const ProductWork work =
        product_work(modelled_operator(true, product.specification), matrices.back().features, probe);
    ASSERT_EQ(regime_of(work), Regime::streamed);
    const auto models = fit_spmv_models(matrices, probe);
    const auto* const model = find_model(models, product.specification, {8, 8});
    ASSERT_NE(model, nullptr);
    EXPECT_EQ(model->matrices, static_cast<int>(matrices.size()));
    EXPECT_EQ(product.regime, Regime::streamed);
    EXPECT_GT(product.held_out, 0) << "by a model of matrices in the cache alone";
}

TEST(SpmvModel, IsOfTheNearestSizesOfValuesThenOfSums) {
    const auto model = [](const NumberSizes& sizes) {
        return SpmvModel{.specification = "a", .sizes = sizes, .costs = {}, .anchors = {}};
    };
    const std::vector<SpmvModel> models{model({8, 8}), model({4, 8}), model({4, 4})};
    EXPECT_EQ(find_model(models, "a", {8, 8}), &models[0]);
    EXPECT_EQ(find_model(models, "a", {4, 8}), &models[1]);
    EXPECT_EQ(find_model(models, "a", {4, 4}), &models[2]);
    EXPECT_EQ(find_model(models, "a", {2, 4}), &models[2]);
    const std::vector<SpmvModel> with_16_bits{model({4, 4}), model({2, 4})};
    EXPECT_EQ(find_model(with_16_bits, "a", {2, 4}), &with_16_bits[1]);
    EXPECT_EQ(find_model(with_16_bits, "a", {4, 4}), &with_16_bits[0]);
    EXPECT_EQ(find_model(std::span(models).first(2), "a", {4, 4}), &models[1]);
    EXPECT_EQ(find_model(models, "b", {8, 8}), nullptr);
}

TEST(SpmvModel, IsTheSameForBothTypesOf16BitsAndHoldsThemOutTogether) {
    auto matrices = benchmark(12, 0.05);
    for (auto& m : matrices) {
        m.values = "float16";
        m.features.value_bytes = 2;
        m.features.sum_bytes = 4;
    }
    auto both = matrices;
    for (auto m : matrices) {
        m.values = "bfloat16";
        both.push_back(m);
    }
    const auto models = fit_spmv_models(both, h200_like());
    EXPECT_EQ(models.size(), kOperators.size());
    for (const SpmvModel& model : models) {
        EXPECT_EQ(model.sizes, (NumberSizes{2, 4}));
        EXPECT_EQ(model.matrices, 24);
    }
    for (std::size_t i = 0; i < matrices.size(); ++i) {
        const double held_out = both[i].products[0].held_out;
        EXPECT_GT(held_out, 0);
        EXPECT_DOUBLE_EQ(both[i + 12].products[0].held_out, held_out) << "by a model that saw neither";
    }
}

TEST(SpmvModel, IsNotMadeOfTwoMatrices) {
    auto matrices = benchmark(2, 0);
    EXPECT_TRUE(fit_spmv_models(matrices, h200_like()).empty());
}

Profile profile_of(int matrices) {
    Profile profile;
    profile.probe = h200_like();
    profile.matrices = benchmark(matrices, 0);
    fit_models(profile);
    return profile;
}

TEST(RankOperatorsByProfile, PutsTheFastestFirstAndANewOperatorAmongThem) {
    const Profile profile = profile_of(40);
    std::mt19937 random(11);
    const MatrixFeatures f = random_features(random);
    const auto ranked = rank_operators({.features = f, .gpu = {}}, profile);
    ASSERT_EQ(ranked.size(), kOperators.size());
    std::vector<std::string> names;
    for (const auto& one : ranked) names.push_back(one.specification);
    EXPECT_THAT(names, Contains("brand-new"));
    EXPECT_THAT(names, Not(Contains("ell")));
    std::string fastest;
    double least = std::numeric_limits<double>::infinity();
    double scale = 1;
    for (const auto& name : kOperators) {
        const double seconds = product_seconds(modelled_operator(true, name), f, profile.probe, scale);
        if (seconds < least) fastest = name;
        least = std::min(least, seconds);
        scale += 0.2;
    }
    EXPECT_EQ(ranked.front().specification, fastest);
    EXPECT_NEAR(ranked.front().seconds, least, 0.02 * least);
    EXPECT_THAT(why(ranked.front(), f.nnz), ::testing::HasSubstr("% of the time for "));
}

TEST(RankOperatorsByProfile, NeedsNothingThatWasMeasured) {
    const Profile profile = profile_of(40);
    const Profile models = without_measurements(profile);
    EXPECT_TRUE(models.matrices.empty());
    std::mt19937 random(11);
    const OperatorQuestion question{.features = random_features(random), .gpu = {}};
    const auto by = [&](const Profile& p) { return rank_operators(question, p); };
    ASSERT_EQ(by(models).size(), by(profile).size());
    for (std::size_t i = 0; i < by(profile).size(); ++i) {
        EXPECT_EQ(by(models)[i].specification, by(profile)[i].specification);
        EXPECT_NEAR(by(models)[i].seconds, by(profile)[i].seconds, 1e-4 * by(profile)[i].seconds) << "by 6 digits";
    }
}

TEST(RankOperatorsByProfile, LeavesOutWhatWouldBeRefused) {
    Profile profile = profile_of(10);
    std::mt19937 random(11);
    MatrixFeatures f = random_features(random);
    for (const SpmvModel& model : std::vector<SpmvModel>(profile.models)) {
        if (model.specification != "brand-new") continue;
        profile.models.push_back(model);
        profile.models.back().specification = "ell";
    }
    const auto has_ell = [&] {
        const auto ranked = rank_operators({.features = f, .gpu = {}}, profile);
        return std::ranges::count(ranked, "ell", &RankedOperator::specification) == 1;
    };
    f.longest_row = static_cast<offset_t>(f.mean_row) + 1;
    EXPECT_TRUE(has_ell());
    f.longest_row *= 10;
    EXPECT_FALSE(has_ell());
}

/// A profile whose models say that these operators take 1 ms, 2 ms, 3 ms ...
Profile profile_that_says(const std::vector<std::string>& operators) {
    Profile profile;
    profile.probe = h200_like();
    for (const std::string& one : operators) {
        SpmvModel model{.specification = one, .costs = std::vector<double>(model_terms().size()), .anchors = {}};
        model.costs[0] = 1e-3 * static_cast<double>(profile.models.size() + 1);
        profile.models.push_back(model);
    }
    return profile;
}

std::vector<std::string> ranked_names(const std::vector<RankedOperator>& ranked) {
    std::vector<std::string> names;
    for (const auto& one : ranked) names.push_back(one.specification);
    return names;
}

TEST(RankOperatorsByProfile, ComparesByWhatModelsPredict) {
    std::mt19937 random(11);
    const auto question = question_on(h200_like(), random_features(random));
    const auto rules = rank_operators(question);
    ASSERT_GE(rules.size(), 2U);
    const Profile profile = profile_that_says({rules[1].specification, rules[0].specification, "brand-new"});
    EXPECT_THAT(ranked_names(rank_operators(question, profile)),
                ElementsAre(rules[1].specification, rules[0].specification, "brand-new"));
    EXPECT_DOUBLE_EQ(rank_operators(question, profile).front().seconds, 1e-3);
}

TEST(RankOperatorsByProfile, RanksWhereAModelSaysThatItTakesNoTime) {
    std::mt19937 random(11);
    const auto question = question_on(h200_like(), random_features(random));
    Profile profile = profile_that_says({"csr16", "csr-merge"});
    profile.models[1].costs[0] = 0;
    EXPECT_THAT(ranked_names(rank_operators(question, profile)), ElementsAre("csr-merge", "csr16"));
}

TEST(RankOperatorsByProfile, LeavesOutWhatWouldNotTakeNewValues) {
    std::mt19937 random(11);
    MatrixFeatures full_tiles = random_features(random);
    full_tiles.nnz = 64'000'000;
    full_tiles.rows = full_tiles.cols = 1'000'000;
    full_tiles.mean_row = 64;
    full_tiles.tile_nonzeros = 256;
    full_tiles.full_tile_share = 1;
    const auto question = question_on(h200_like(), full_tiles);
    const auto ranked = [&](const char* specification) {
        return ranked_names(rank_operators(question, profile_that_says({specification, "csr16"})));
    };
    EXPECT_THAT(ranked("tile"), ElementsAre("csr16"));
    EXPECT_THAT(ranked("tile:updatable=1"), Contains("tile:updatable=1"));
}

TEST(RankOperatorsByProfile, LeavesOutWhatRulesSayDoesNotSuit) {
    std::mt19937 random(11);
    MatrixFeatures f = random_features(random);
    const auto has_sell = [&] {
        const auto ranked = rank_operators(question_on(h200_like(), f), profile_that_says({"sell", "csr16"}));
        return std::ranges::count(ranked, "sell", &RankedOperator::specification) == 1;
    };
    f.longest_row = f.nnz / 11;
    EXPECT_TRUE(has_sell());
    f.longest_row = f.nnz / 9;
    EXPECT_FALSE(has_sell());
}

TEST(RankOperatorsByProfile, PreparesFullTilesAsCsrIs) {
    std::mt19937 random(11);
    OperatorQuestion question{.features = random_features(random), .gpu = {}};
    question.features.nnz = 2'000'000;
    question.features.full_tile_share = 1;
    question.features.mean_row = 64;
    const auto tile_takes = [&](const Profile& profile) {
        const auto ranked = rank_operators(question, profile);
        const auto tile = std::ranges::find(ranked, "tile:updatable=1", &RankedOperator::specification);
        return tile == ranked.end() ? -1 : tile->preparation_seconds;
    };
    Profile profile = profile_that_says({"tile:updatable=1", "csr-vector"});
    profile.models[0].preparation[0] = 1;
    profile.models[1].preparation[0] = 0.25;
    EXPECT_EQ(tile_takes(profile), 0.25);
    profile.models.pop_back();
    EXPECT_EQ(tile_takes(profile), 1) << "no other model says";
}

TEST(RankForTrial, TakesModelsAndRulesInTurnBehindTheModelsFirst) {
    std::mt19937 random(11);
    const MatrixFeatures f = random_features(random);
    const auto question = question_on(h200_like(), f);
    const auto rules = ranked_names(rank_operators(question));
    ASSERT_GE(rules.size(), 3U);
    const auto by = [&](const std::vector<std::string>& operators) {
        return ranked_names(rank_for_trial(question, profile_that_says(operators)));
    };
    EXPECT_THAT(by({"a", "b", "c", rules[1], rules[0]}), ElementsAre("a", rules[0], "b", rules[1], "c"));
    EXPECT_THAT(by({rules[0], "a", "b", rules[1]}), ElementsAre(rules[0], rules[1], "a", "b")) << "their second";
    EXPECT_THAT(by({"a", rules[2], "b", rules[1]}), ElementsAre("a", rules[1], rules[2], "b"))
        << "the first has no model";
    EXPECT_THAT(by({"a", "b", "c"}), ElementsAre("a", "b", "c"));
    EXPECT_THAT(by({}), ElementsAre());
}

TEST(Decides, OnlyAProfileWhoseCheckSpeaksForIt) {
    constexpr NumberSizes sizes{8, 8};
    Profile profile;
    EXPECT_FALSE(decides(profile, sizes));
    keep_check(profile,
               {.values = "float64", .sizes = sizes, .models = {10, 1, 1.01, 1.01, 1.1}, .rules = {10, 1, 1.05, 1, 2}});
    EXPECT_TRUE(decides(profile, sizes));
    profile.checks[0].rules.mean_loss = 1.01;
    EXPECT_FALSE(decides(profile, sizes));
}

TEST(Decides, ByTheCheckOfTheNearestSizes) {
    constexpr ChoiceQuality good{10, 1, 1.01, 1.01, 1.1};
    constexpr ChoiceQuality bad{10, 1, 1.05, 1.05, 1.1};
    Profile profile;
    keep_check(profile, {.values = "float64", .sizes = {8, 8}, .models = good, .rules = bad});
    EXPECT_TRUE(decides(profile, {4, 8})) << "the only one";
    keep_check(profile, {.values = "float32", .sizes = {4, 8}, .models = bad, .rules = good});
    EXPECT_TRUE(decides(profile, {8, 8}));
    EXPECT_FALSE(decides(profile, {4, 8}));
    EXPECT_FALSE(decides(profile, {2, 4})) << "float32 is nearer";
}

TEST(KeepCheck, HasOneOfEachSizes) {
    constexpr NumberSizes sizes{8, 8};
    constexpr ChoiceQuality good{10, 1, 1.01, 1.01, 1.1};
    Profile profile;
    for (const int matrices : {10, 20})
        keep_check(profile, {.values = "float64", .sizes = sizes, .matrices = matrices, .models = good});
    ASSERT_EQ(profile.checks.size(), 1U);
    EXPECT_EQ(find_check(profile, sizes)->matrices, 20);
    EXPECT_EQ(find_check(profile, sizes)->models, good);
    EXPECT_EQ(find_check(profile, {4, 8}), nullptr);
}

}  // namespace
}  // namespace tilespmv
