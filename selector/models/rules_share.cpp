#include "selector/models/rules_share.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <functional>
#include <numeric>
#include <utility>

namespace tilespmv {
namespace {

constexpr std::size_t kLeastMatrices = 100;  ///< fewer choices say little of 1% of their time
constexpr std::array kShares{0.0, RulesShare{}.share};

/// What charges of a share need to be known of a matrix.
struct KnownChoice {
    NumberSizes sizes = {};
    std::vector<RankedOperator> unseen = {};
    std::vector<RankedOperator> by_rules = {};
    std::vector<double> measured = {};  ///< seconds of `unseen`
};

KnownChoice choice_of(const Profile& profile, const MeasuredMatrix& matrix) {
    const auto question = question_on(profile.probe, matrix.features);
    KnownChoice choice{.sizes = matrix.features.sizes(),
                       .unseen = held_out(rank_operators(question, profile), matrix),
                       .by_rules = rank_operators(question)};
    for (const RankedOperator& one : choice.unseen) {
        const auto product = std::ranges::find(matrix.products, one.specification, &ProductTime::specification);
        choice.measured.push_back(product->seconds);
    }
    return choice;
}

/// Time of what is chosen over that of the fastest.
double loss(const KnownChoice& choice, double share) {
    auto charged = choice.unseen;
    charge_by_rules(charged, choice.by_rules, share);
    const auto chosen =
        std::ranges::min_element(charged, {}, [](const RankedOperator& one) { return one.total_seconds(0); });
    return choice.measured[static_cast<std::size_t>(chosen - charged.begin())] / std::ranges::min(choice.measured);
}

/// Logarithms of `loss` for choices on numbers of these sizes.
std::vector<double> log_losses(std::span<const KnownChoice> choices, const NumberSizes& sizes, double share) {
    std::vector<double> losses;
    for (const KnownChoice& choice : choices) {
        if (choice.sizes == sizes) losses.push_back(std::log(loss(choice, share)));
    }
    return losses;
}

double mean_of(std::span<const double> values) {
    return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

/// Whether `a` is greater than `b`, its losses on the same matrices, by more than the standard error of the difference.
bool is_clearly_greater(std::span<const double> a, std::span<const double> b) {
    std::vector<double> differences(a.size());
    std::ranges::transform(a, b, differences.begin(), std::minus());
    const double mean = mean_of(differences);
    double squares = 0;
    for (const double difference : differences) squares += (difference - mean) * (difference - mean);
    const auto count = static_cast<double>(a.size());
    return mean > std::sqrt(squares / (count - 1) / count);
}

/// The least share that is not clearly worse than the best one: held out, a model lacks a fifth of the matrices that it
/// knows when it chooses, and seems worse than it is.
double best_share(std::span<const KnownChoice> choices, const NumberSizes& sizes) {
    std::vector<std::vector<double>> losses;
    for (const double share : kShares) losses.push_back(log_losses(choices, sizes, share));
    const auto best = std::ranges::min_element(losses, {}, [](const auto& one) { return mean_of(one); });
    const auto chosen = std::ranges::find_if(losses, [&](const auto& one) { return !is_clearly_greater(one, *best); });
    return kShares[static_cast<std::size_t>(chosen - losses.begin())];
}

}  // namespace

void charge_by_rules(std::vector<RankedOperator>& by_models, const std::vector<RankedOperator>& by_rules,
                     double share) {
    constexpr double kUnknown = 1.44;                       // of a share of 1
    std::vector<std::pair<RankedOperator*, double>> known;  // with the rules' time over the models'
    double logarithms = 0;
    for (RankedOperator& one : by_models) {
        const auto rule = std::ranges::find(by_rules, one.specification, &RankedOperator::specification);
        if (rule == by_rules.end() || one.seconds <= 0) {
            one.charge = std::pow(kUnknown, share);
            continue;
        }
        known.emplace_back(&one, rule->seconds / one.seconds);
        logarithms += std::log(known.back().second);
    }
    if (known.empty()) return;
    const double mean = std::exp(logarithms / static_cast<double>(known.size()));
    for (const auto& [one, ratio] : known) one->charge = std::pow(ratio / mean, share);
}

std::vector<RankedOperator> held_out(const std::vector<RankedOperator>& ranked, const MeasuredMatrix& matrix) {
    std::vector<RankedOperator> all;
    for (RankedOperator one : ranked) {
        const auto found = std::ranges::find(matrix.products, one.specification, &ProductTime::specification);
        if (found == matrix.products.end() || found->held_out <= 0) continue;
        one.seconds = found->held_out;
        all.push_back(std::move(one));
    }
    return all;
}

std::vector<RulesShare> fit_rules_shares(const Profile& profile) {
    std::vector<KnownChoice> choices;
    for (const MeasuredMatrix& matrix : profile.matrices) {
        KnownChoice choice = choice_of(profile, matrix);
        if (!choice.unseen.empty()) choices.push_back(std::move(choice));
    }
    std::vector<RulesShare> shares;
    for (const KnownChoice& choice : choices) {
        if (std::ranges::find(shares, choice.sizes, &RulesShare::sizes) != shares.end()) continue;
        const auto count = std::ranges::count(choices, choice.sizes, &KnownChoice::sizes);
        if (std::cmp_less(count, kLeastMatrices)) continue;
        shares.push_back({choice.sizes, best_share(choices, choice.sizes)});
    }
    return shares;
}

double find_rules_share(std::span<const RulesShare> shares, const NumberSizes& sizes) {
    const auto nearest =
        std::ranges::min_element(shares, {}, [&](const RulesShare& one) { return distance(one.sizes, sizes); });
    return nearest == shares.end() ? RulesShare{}.share : nearest->share;
}

}  // namespace tilespmv
