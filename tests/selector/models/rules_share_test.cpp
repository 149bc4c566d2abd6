#include "selector/models/rules_share.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <random>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/selector/models/synthetic.hpp"

namespace tilespmv {
namespace {

using test::h200_like;
using test::random_features;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

/// Both suit any matrix, by the rules, too.
constexpr const char* kFirst = "csr-merge";
constexpr const char* kSecond = "csr-adaptive";

double by_rules(const MatrixFeatures& features, const std::string& name) {
    const auto ranked = rank_operators(question_on(h200_like(), features));
    return std::ranges::find(ranked, name, &RankedOperator::specification)->seconds;
}

/// Times of a product from what rules predict and a random number of -0.3 to 0.3.
struct Times {
    std::function<double(double rules, double random)> measured;
    std::function<double(double rules, double random)> held_out;
};

Profile profile_of(int matrices, const Times& times) {
    std::mt19937 random(3);
    std::uniform_real_distribution<double> error(-0.3, 0.3);
    Profile profile{.probe = h200_like()};
    for (const std::string name : {kFirst, kSecond}) {
        SpmvModel model{.specification = name, .costs = std::vector<double>(model_terms().size(), 0), .anchors = {}};
        model.costs[0] = 1e-5;
        profile.models.push_back(model);
    }
    for (int i = 0; i < matrices; ++i) {
        MeasuredMatrix m{std::to_string(i), "float64", random_features(random), {}};
        for (const std::string name : {kFirst, kSecond}) {
            const double rules = by_rules(m.features, name);
            const double drawn = error(random);
            m.products.push_back({.specification = name,
                                  .seconds = times.measured(rules, drawn),
                                  .error = {},
                                  .held_out = times.held_out(rules, drawn)});
        }
        profile.matrices.push_back(m);
    }
    return profile;
}

double exactly(double rules, double /*random*/) { return rules; }
double off(double rules, double random) { return rules * std::exp(random); }

TEST(RulesShare, IsNoneWhereModelsAreRight) {
    const auto shares = fit_rules_shares(profile_of(120, {.measured = off, .held_out = off}));
    EXPECT_THAT(shares, ElementsAre(RulesShare{{8, 8}, 0}));
}

TEST(RulesShare, IsHalfWhereRulesAreRight) {
    const auto shares = fit_rules_shares(profile_of(120, {.measured = exactly, .held_out = off}));
    EXPECT_THAT(shares, ElementsAre(RulesShare{{8, 8}, 0.5}));
}

/// Models are wrong on matrices of small random numbers, rules on those of large ones: half a share of the rules is
/// better, by less than the standard error.
TEST(RulesShare, IsNoneWhereRulesAreBetterByLessThanChanceMakes) {
    const auto measured = [](double rules, double random) {
        return std::abs(random) < 0.26 ? rules : off(rules, random);
    };
    const auto shares = fit_rules_shares(profile_of(1000, {.measured = measured, .held_out = off}));
    EXPECT_THAT(shares, ElementsAre(RulesShare{{8, 8}, 0}));
}

TEST(RulesShare, IsNotFittedToFewMatricesOrWithoutWhatIsHeldOut) {
    EXPECT_THAT(fit_rules_shares(profile_of(60, {.measured = off, .held_out = off})), IsEmpty());
    const auto none = [](double, double) { return 0.0; };
    EXPECT_THAT(fit_rules_shares(profile_of(120, {.measured = off, .held_out = none})), IsEmpty());
}

TEST(RulesShare, IsThatOfTheNearestSizes) {
    const std::vector<RulesShare> shares{{{8, 8}, 0.1}, {{4, 8}, 0.2}, {{4, 4}, 0.3}};
    EXPECT_EQ(find_rules_share(shares, {8, 8}), 0.1);
    EXPECT_EQ(find_rules_share(shares, {4, 4}), 0.3);
    EXPECT_EQ(find_rules_share(shares, {2, 4}), 0.3);
    EXPECT_EQ(find_rules_share({}, {8, 8}), 0.5);
}

TEST(ChargeByRules, IsTheGeometricMeanByTheShareOfTheRules) {
    const auto charges = [](double share) {
        std::vector<RankedOperator> models{{.specification = "a", .seconds = 1}, {.specification = "b", .seconds = 1}};
        charge_by_rules(models, {{.specification = "a", .seconds = 4}, {.specification = "b", .seconds = 1}}, share);
        return std::vector<double>{models[0].charge, models[1].charge};
    };
    EXPECT_THAT(charges(0), ElementsAre(1, 1));
    EXPECT_THAT(charges(0.5), ElementsAre(std::sqrt(2.0), std::sqrt(0.5)));
    EXPECT_THAT(charges(1), ElementsAre(2, 0.5));
    std::vector<RankedOperator> unknown{{.specification = "c", .seconds = 1}};
    charge_by_rules(unknown, {}, 0.5);
    EXPECT_DOUBLE_EQ(unknown[0].charge, 1.2);
    charge_by_rules(unknown, {}, 0);
    EXPECT_DOUBLE_EQ(unknown[0].charge, 1);
}

TEST(RankOperatorsByProfile, CountsRulesByTheirShare) {
    Profile profile = profile_of(1, {.measured = off, .held_out = off});
    const auto question = question_on(h200_like(), profile.matrices[0].features);
    const bool is_first = by_rules(question.features, kFirst) < by_rules(question.features, kSecond);
    profile.models[is_first ? 0 : 1].costs[0] *= 1.0001;
    const auto chosen = [&] { return rank_operators(question, profile).front().specification; };
    EXPECT_EQ(chosen(), is_first ? kFirst : kSecond) << "models see hardly a difference, rules do";
    profile.rules_shares = {{{8, 8}, 0}};
    EXPECT_EQ(chosen(), is_first ? kSecond : kFirst) << "models alone";
}

}  // namespace
}  // namespace tilespmv
