#include "tools/tune/check.hpp"

#include <algorithm>
#include <chrono>
#include <set>

#include <fmt/format.h>

#include "tile/error.hpp"
#include "tile/seconds_since.hpp"

namespace tilespmv::tools {
namespace {

std::set<std::string> modelled(const Profile& profile) {
    std::set<std::string> all;
    for (const SpmvModel& model : profile.models) all.insert(model.specification);
    return all;
}

std::vector<CheckedProduct> measure_all(bench::MatrixTimer& timer, const Profile& profile) {
    std::vector<CheckedProduct> products;
    const MatrixFeatures& f = timer.features();
    for (const std::string& one : modelled(profile)) {
        const auto entry = modelled_operator(profile.probe.is_gpu, one);
        const auto work = product_work(entry, f, profile.probe);
        const auto* const model = find_model(profile.models, one, f.sizes());
        try {
            products.push_back({one, timer.seconds(one), predict(*model, work), naive_seconds(work)});
        } catch (const Error& error) {  // it cannot be made of this matrix
            if (error.code() == ExitCode::usage) throw;
        }
    }
    return products;
}

double seconds_of(const std::vector<CheckedProduct>& products, std::string_view specification) {
    const auto found = std::ranges::find(products, specification, &CheckedProduct::specification);
    return found == products.end() ? 0 : found->measured;
}

/// The first of a ranking that could be made.
void take_first(const std::vector<RankedOperator>& ranked, const std::vector<CheckedProduct>& products,
                std::string& chosen, double& seconds) {
    for (const RankedOperator& one : ranked) {
        seconds = seconds_of(products, one.specification);
        chosen = one.specification;
        if (seconds > 0) return;
    }
    throw Error("none of the operators that could be chosen was measured");
}

CheckedMatrix check_matrix(bench::MatrixTimer& timer, const Profile& profile, const std::string& name) {
    CheckedMatrix m{.name = name, .features = timer.features(), .products = measure_all(timer, profile)};
    const auto question = question_on(profile.probe, m.features);
    const auto by_models = rank_operators(question, profile);
    take_first(by_models, m.products, m.by_models, m.models_seconds);
    take_first(rank_operators(question), m.products, m.by_rules, m.rules_seconds);
    m.best = m.by_rules;
    m.best_seconds = m.rules_seconds;
    for (const RankedOperator& one : by_models) {
        const double seconds = seconds_of(m.products, one.specification);
        if (seconds <= 0 || seconds >= m.best_seconds) continue;
        m.best = one.specification;
        m.best_seconds = seconds;
    }
    return m;
}

void summarize(CheckOutcome& outcome) {
    std::vector<PredictedTime> models;
    std::vector<PredictedTime> naive;
    std::vector<double> by_models;
    std::vector<double> by_rules;
    for (const CheckedMatrix& m : outcome.matrices) {
        for (const CheckedProduct& p : m.products) {
            models.push_back({p.predicted, p.measured});
            naive.push_back({p.naive, p.measured});
        }
        by_models.push_back(m.models_seconds / m.best_seconds);
        by_rules.push_back(m.rules_seconds / m.best_seconds);
    }
    ProfileCheck& summary = outcome.summary;
    summary.matrices = static_cast<int>(outcome.matrices.size());
    summary.accuracy = mean_accuracy(models);
    summary.naive_accuracy = mean_accuracy(naive);
    summary.models = choice_quality(by_models);
    summary.rules = choice_quality(by_rules);
}

using IsOver = std::function<bool(double seconds)>;  ///< whether there is no time for what takes so long

void check_matrices(bench::Measurer& measurer, const Profile& profile, const CheckOptions& options,
                    const IsOver& is_over, CheckOutcome& outcome) {
    double longest = 0;  // of those before
    for (std::size_t i = 0; i < options.sources.size(); ++i) {
        if (is_over(longest)) {
            outcome.left += static_cast<int>(options.sources.size() - i);
            return;
        }
        const auto& source = options.sources[i];
        options.progress(fmt::format("checking {}/{}: {}", i + 1, options.sources.size(), source));
        const auto begun = std::chrono::steady_clock::now();
        try {
            const auto timer = measurer.matrix(options.values, source);
            if (i + 1 < options.sources.size()) measurer.expect(options.values, options.sources[i + 1]);
            outcome.matrices.push_back(check_matrix(*timer, profile, source));
        } catch (const Error& error) {
            outcome.errors.push_back(fmt::format("{}: {}", source, error.what()));
        }
        longest = std::max(longest, seconds_since(begun));
    }
}

}  // namespace

CheckOutcome check(bench::Measurer& measurer, const Profile& profile, const CheckOptions& options) {
    CheckOutcome outcome;
    outcome.summary.values = options.values;
    outcome.summary.sizes = {value_bytes_of(options.values), measurer.sum_bytes(options.values)};
    const auto begun = std::chrono::steady_clock::now();
    const auto is_over = [&](double seconds) { return seconds_since(begun) + seconds >= options.seconds; };
    check_matrices(measurer, profile, options, is_over, outcome);
    summarize(outcome);
    return outcome;
}

}  // namespace tilespmv::tools
