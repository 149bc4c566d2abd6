#include "selector/models/small_model.hpp"

#include <algorithm>
#include <cmath>
#include <random>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "selector/models/profile_file.hpp"
#include "tests/selector/models/synthetic.hpp"
#include "tile/generate/generate.hpp"

namespace tilespmv {
namespace {

using ::testing::AllOf;
using ::testing::Contains;
using ::testing::Each;
using ::testing::Ge;
using ::testing::Le;
using ::testing::Not;

constexpr double kLaunch = 7e-7;

/// Times that change with features as those of operators do: the second is faster where rows are even.
double seconds_of(std::string_view specification, const MatrixFeatures& f) {
    const double uneven = f.row_deviation / f.mean_row;
    const double work = 1e-11 * static_cast<double>(f.nnz) * (1 + f.x_sectors);
    if (specification == "csr-merge") return kLaunch + work;
    if (specification == "csr-vector") return kLaunch + work * (0.5 + uneven);
    return 3 * (kLaunch + work);
}

MatrixFeatures features_of_size(std::mt19937& random, double least, double most) {
    std::uniform_real_distribution<double> share(0, 1);
    MatrixFeatures f = test::random_features(random);
    f.nnz = static_cast<offset_t>(least * std::pow(most / least, share(random)));
    f.rows = f.cols = static_cast<index_t>(static_cast<double>(f.nnz) / f.mean_row) + 1;
    f.longest_row = static_cast<offset_t>(2 * f.mean_row) + 1;  // suits csr-vector
    f.diagonals = kMostDiagonals;
    return f;
}

std::vector<MeasuredMatrix> measured_matrices(int count, double least, double most) {
    std::mt19937 random(11);
    std::vector<MeasuredMatrix> all;
    for (int i = 0; i < count; ++i) {
        MeasuredMatrix m{.name = "m" + std::to_string(i), .features = features_of_size(random, least, most)};
        for (const char* name : {"csr-merge", "csr-vector", "strip", "hyb", "tile:updatable=1", "cusparse-csr", "dia"})
            m.products.push_back({.specification = name, .seconds = seconds_of(name, m.features)});
        m.products.push_back({.specification = "coo", .error = "refused"});
        all.push_back(m);
    }
    return all;
}

SmallModel fitted(int count = 200) {
    auto matrices = measured_matrices(count, 1e3, 1.9e5);
    const auto models = fit_small_models(matrices, {});
    EXPECT_EQ(models.size(), 1U);
    return models.at(0);
}

TEST(SmallModel, PredictsOthersThanItWasFittedTo) {
    const SmallModel model = fitted();
    std::mt19937 random(12);
    double log_error = 0;
    constexpr int kMatrices = 100;
    for (int i = 0; i < kMatrices; ++i) {
        const auto f = features_of_size(random, 2e3, 1e5);
        const auto seconds = predict(model, f);
        ASSERT_EQ(seconds.size(), model.operators.size());
        for (std::size_t k = 0; k < seconds.size(); ++k)
            log_error += std::abs(std::log(seconds[k] / seconds_of(model.operators[k].specification, f)));
    }
    EXPECT_LT(log_error / kMatrices / static_cast<double>(model.operators.size()), 0.03);
}

TEST(SmallModel, HasOperatorsThatCanBeChosenBySmallFeatures) {
    std::vector<std::string> names;
    for (const auto& one : fitted().operators) names.push_back(one.specification);
    EXPECT_THAT(names, ::testing::UnorderedElementsAre("csr-merge", "csr-vector"));
}

TEST(SmallModel, TellsWhatItPredictsOfSmallMatricesWithAndWithoutThem) {
    auto matrices = measured_matrices(120, 1e3, 1.9e5);
    matrices.push_back(matrices.front());
    matrices.back().name = "large";
    matrices.back().features.nnz = 10 * kMostSmall;
    fit_small_models(matrices, {});
    double in_sample = 0;
    double held_out = 0;
    for (const MeasuredMatrix& m : matrices) {
        for (const ProductTime& p : {m.products[0], m.products[1]}) {
            if (m.features.nnz > kMostSmall) {
                EXPECT_EQ(p.predicted, 0) << m.name;
                continue;
            }
            EXPECT_NEAR(p.predicted, p.seconds, 0.05 * p.seconds);
            EXPECT_NEAR(p.held_out, p.seconds, 0.5 * p.seconds);
            in_sample += std::abs(p.predicted / p.seconds - 1);
            held_out += std::abs(p.held_out / p.seconds - 1);
        }
        EXPECT_EQ(m.products[2].predicted, 0) << "strip is in no small model";
    }
    EXPECT_LT(in_sample, held_out);
}

TEST(SmallModel, IsFittedToEnoughMatricesOnly) {
    auto few = measured_matrices(static_cast<int>(kLeastSmall) - 1, 1e3, 1e5);
    EXPECT_TRUE(fit_small_models(few, {}).empty());
    auto large = measured_matrices(100, 2.1e6, 1e7);
    EXPECT_TRUE(fit_small_models(large, {}).empty());
}

TEST(SmallModel, IsThatOfTheNearestSizesOfSmallMatrices) {
    const std::vector<SmallModel> models{{.sizes = {4, 8}}, {.sizes = {8, 8}}};
    constexpr auto kMost = static_cast<index_t>(kMostSmall);
    const MatrixFeatures small{.rows = kMost, .cols = kMost, .nnz = kMost};
    const auto found = [&](const MatrixFeatures& f) { return find_small_model(models, f); };
    EXPECT_EQ(found(small), &models[1]);
    MatrixFeatures other = small;
    other.value_bytes = 2;
    other.sum_bytes = 4;
    EXPECT_EQ(found(other), &models[0]);
    EXPECT_EQ(find_small_model({}, small), nullptr);
    other = small;
    other.nnz = 0;
    EXPECT_EQ(found(other), nullptr);
    ++(other = small).nnz;
    EXPECT_EQ(found(other), nullptr);
    ++(other = small).rows;
    EXPECT_EQ(found(other), nullptr);
    ++(other = small).cols;
    EXPECT_EQ(found(other), nullptr);
}

TEST(SmallModel, OfAPatternIsThatOfItsFeatures) {
    const std::vector<SmallModel> models{{.sizes = {4, 8}}, {.sizes = {8, 8}}};
    for (const char* generator : {"laplace2d:n=9", "laplace2d:n=200", "hypersparse:n=1000000,nnz=9", "laplace2d:n=450",
                                  "uniform:n=2,cols=1000001,per_row=4", "dense:rows=3,cols=0"}) {
        const auto a = generate<float>(generator);
        EXPECT_EQ(find_small_model(models, pattern_of(a)), find_small_model(models, features_of(pattern_of(a))))
            << generator;
    }
}

/// A profile in which models of operators say the contrary of the small model.
Profile contrary_profile() {
    Profile profile{.probe = test::h200_like()};
    for (const char* name : {"csr-merge", "csr-vector"}) {
        SpmvModel model{.specification = name, .costs = std::vector<double>(model_terms().size())};
        model.costs[0] = std::string_view(name) == "csr-merge" ? 2e-3 : 1e-3;
        model.preparation = {1e-4, 1e-9, 2e-9, 5};
        profile.models.push_back(model);
    }
    auto matrices = measured_matrices(200, 1e3, 1.9e5);
    profile.small_models = fit_small_models(matrices, profile.models);
    return profile;
}

TEST(SmallModel, RanksSmallMatricesAlone) {
    const Profile profile = contrary_profile();
    std::mt19937 random(13);
    MatrixFeatures f = features_of_size(random, 5e4, 6e4);
    f.row_deviation = 0.9 * f.mean_row;
    const auto first = [&] { return rank_operators(question_on(profile.probe, f), profile).front(); };
    EXPECT_EQ(first().specification, "csr-merge");
    EXPECT_NEAR(first().seconds, seconds_of("csr-merge", f), 0.1 * first().seconds);
    EXPECT_DOUBLE_EQ(first().preparation_seconds, 1e-4 + 1e-9 * static_cast<double>(f.nnz) + 2e-9 * f.rows);
    EXPECT_EQ(first().work, work_of(modelled_operator(true, "csr-merge"), f)) << "for `explain`";
    EXPECT_THAT(why(first(), f.nnz), ::testing::HasSubstr("as on matrices like it"));
    EXPECT_EQ(rank_for_trial(question_on(profile.probe, f), profile).front().specification, "csr-merge");
    f.row_deviation = 0.1 * f.mean_row;
    EXPECT_EQ(first().specification, "csr-vector");
    f.longest_row = 3000;
    EXPECT_EQ(first().specification, "csr-merge") << "csr-vector does not suit it";
    f.longest_row = 70;
    f.row_deviation = 0.9 * f.mean_row;
    f.nnz = kMostSmall + 1;
    EXPECT_EQ(first().specification, "csr-vector") << "not small";
}

TEST(SmallModel, IsTheFirstOfThreeWhoSayWhatATrialTries) {
    Profile profile = contrary_profile();
    profile.models.push_back(profile.models.front());
    profile.models.back().specification = "hyb";  // in no small model
    profile.models.back().costs[0] = 1e-4;
    const auto question = question_on(profile.probe, features_of(pattern_of(generate<double>("laplace2d:n=100"))));
    std::vector<std::string> tried;
    for (const auto& one : rank_for_trial(question, profile)) tried.push_back(one.specification);
    EXPECT_THAT(tried, ::testing::UnorderedElementsAre("csr-merge", "hyb", "csr-vector"));
    EXPECT_EQ(tried.front(), "csr-vector") << "the small model's";
    auto by_rules = rank_operators(question);
    std::erase_if(by_rules, [&](const auto& one) {
        return one.specification == "csr-vector" || std::ranges::count(tried, one.specification) == 0;
    });
    EXPECT_EQ(tried[1], by_rules.front().specification) << "the rules'";
    EXPECT_EQ(rank_for_trial(question, profile).front().seconds, rank_operators(question, profile).front().seconds);
}

/// Small matrices of many kinds.
constexpr std::array kGenerators{"laplace2d:n=20",
                                 "laplace2d:n=300",
                                 "laplace3d:n=40",
                                 "fem:n=12,dof=3",
                                 "banded:n=30000,half=12",
                                 "uniform:n=30000,per_row=16",
                                 "powerlaw:n=30000,degree=16",
                                 "delaunay:n=50000",
                                 "hypersparse:n=400000,nnz=300000",
                                 "dense:rows=500,cols=500",
                                 "laplace2d:n=64",
                                 "laplace3d:n=12",
                                 "stencil27:n=9",
                                 "fem:n=7,dof=3",
                                 "banded:n=3000,half=4",
                                 "uniform:n=3000,per_row=9",
                                 "uniform:n=90,cols=3000,per_row=300",
                                 "rmat:scale=11,degree=8",
                                 "powerlaw:n=3000,degree=8",
                                 "road-like:n=40,chain=2",
                                 "delaunay:n=5000",
                                 "kkt:n=2000",
                                 "arrow:n=3000",
                                 "hypersparse:n=40000,nnz=9000",
                                 "dense:rows=90,cols=90",
                                 "block-dense:n=1600,block=16,blocks_per_row=2"};

TEST(CarriedSmallModels, ChooseBySmallFeaturesAsByAll) {
    setenv("TILESPMV_PROFILE", "", 1);
    const FoundProfile found = find_profile({}, "NVIDIA H200", {8, 8});
    ASSERT_TRUE(found.decides);
    for (const char* generator : kGenerators) {
        const auto a = generate<double>(generator);
        ASSERT_LE(a.nnz(), kMostSmall) << generator;
        for (const NumberSizes& sizes : {NumberSizes{8, 8}, {4, 8}, {4, 4}, {2, 4}}) {
            PatternView pattern = pattern_of(a);
            pattern.value_bytes = sizes.value;
            pattern.sum_bytes = sizes.sum;
            ASSERT_NE(find_small_model(found.profile->small_models, pattern), nullptr);
            auto question = question_on(found.profile->probe, features_of(pattern));
            std::vector<std::string> by_all;
            for (const offset_t products : {1'000'000, 1000, 0}) {
                question.products = products;
                const auto ranked = rank_operators(question, *found.profile);
                const auto chosen = choose_operator(pattern, question.products,
                                                    *find_small_model(found.profile->small_models, pattern));
                EXPECT_EQ(chosen, ranked.front().specification) << generator << " " << sizes.value;
                by_all.clear();
                for (const auto& one : ranked) by_all.push_back(one.specification);
            }
            EXPECT_THAT(by_all, Contains("csr-merge"));
            EXPECT_THAT(by_all, Not(Contains("strip")));
        }
    }
    unsetenv("TILESPMV_PROFILE");
}

TEST(CarriedSmallModels, PredictPossibleTimesOfTheSmallest) {
    const FoundProfile found = find_profile({}, "NVIDIA H200", {8, 8});
    ASSERT_NE(found.profile, nullptr);
    for (const char* generator : {"dense:rows=1,cols=1", "laplace2d:n=2", "hypersparse:n=100000,nnz=10"}) {
        const auto f = small_features_of(pattern_of(generate<double>(generator)));
        const auto seconds = predict(*find_small_model(found.profile->small_models, f), f);
        EXPECT_THAT(seconds, Each(AllOf(Ge(1e-7), Le(1e-4)))) << generator;
    }
}

}  // namespace
}  // namespace tilespmv
