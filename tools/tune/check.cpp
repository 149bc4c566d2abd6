#include "tools/tune/check.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <map>
#include <numeric>
#include <set>
#include <span>

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

/// Keeps what it measures.
CheckedShape check_shape(bench::VectorTimer& timer, const VectorProfile& kernel, const Probe& probe, std::size_t n,
                         std::vector<VectorPoint>& points) {
    CheckedShape s{.kernel = kernel.work.kernel, .n = n, .chosen = effective_shape(choose_shape(kernel.model, n), n)};
    const auto seconds_of_shape = [&](const LaunchShape& shape) {
        return points.emplace_back(VectorPoint{n, shape, timer.seconds(s.kernel, shape)}).seconds;
    };
    double least = kEndless;
    for (const LaunchShape& shape : shapes_to_measure(kernel.work, probe, n)) {
        const double seconds = seconds_of_shape(shape);
        if (seconds >= least) continue;
        least = seconds;
        s.best = shape;
    }
    s.best_seconds = seconds_of_shape(s.best);
    s.chosen_seconds = s.chosen == s.best ? s.best_seconds : seconds_of_shape(s.chosen);
    return s;
}

/// Of those measured several times the mean.
struct MeanTime {
    LaunchShape shape = {};
    double sum = 0;
    int count = 0;

    [[nodiscard]] double seconds() const { return sum / count; }
};

std::map<std::size_t, std::vector<MeanTime>> mean_times(std::span<const VectorPoint> points) {
    std::map<std::size_t, std::vector<MeanTime>> by_size;
    for (const VectorPoint& point : points) {
        auto& all = by_size[point.n];
        auto found = std::ranges::find(all, point.shape, &MeanTime::shape);
        if (found == all.end()) found = all.insert(all.end(), MeanTime{point.shape});
        found->sum += point.seconds;
        ++found->count;
    }
    return by_size;
}

void compare_shapes(const VectorProfile& kernel, std::span<const VectorPoint> points, CheckOutcome& outcome) {
    for (const auto& [n, times] : mean_times(points)) {
        const LaunchShape chosen = effective_shape(choose_shape(kernel.model, n), n);
        const auto found = std::ranges::find(times, chosen, &MeanTime::shape);
        if (found == times.end()) {
            outcome.errors.push_back(fmt::format("{} of {} values: there is no time of what is chosen, {} x {} x {}",
                                                 kernel.work.kernel, n, blocks_for(chosen, n), chosen.threads,
                                                 chosen.elements));
            continue;
        }
        const auto best = std::ranges::min_element(times, {}, &MeanTime::seconds);
        outcome.shapes.push_back({kernel.work.kernel, n, chosen, best->shape, found->seconds(), best->seconds()});
    }
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
    std::vector<double> by_trees;
    for (const CheckedShape& shape : outcome.shapes) by_trees.push_back(shape.loss());
    ProfileCheck& summary = outcome.summary;
    summary.matrices = static_cast<int>(outcome.matrices.size());
    summary.accuracy = mean_accuracy(models);
    summary.naive_accuracy = mean_accuracy(naive);
    summary.models = choice_quality(by_models);
    summary.rules = choice_quality(by_rules);
    summary.vectors = choice_quality(by_trees);
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

/// The numbers below `count`, so that any first ones of them are spread over all.
std::vector<std::size_t> spread_order(std::size_t count) {
    std::size_t step = std::max<std::size_t>(count * 618 / 1000, 1);
    while (std::gcd(step, count) > 1) ++step;
    std::vector<std::size_t> order;
    for (std::size_t i = 0; i < count; ++i) order.push_back(i * step % count);
    return order;
}

VectorProfile& times_of(const VectorProfile& kernel, CheckOutcome& outcome) {
    const auto known = std::ranges::find_if(outcome.times, [&](const VectorProfile& one) {
        return one.work == kernel.work && one.values == kernel.values;
    });
    if (known != outcome.times.end()) return *known;
    return outcome.times.emplace_back(
        VectorProfile{.work = kernel.work, .values = kernel.values, .points = {}, .model = {}});
}

void check_vectors(bench::Measurer& measurer, const Profile& profile, const CheckOptions& options,
                   const IsOver& is_over, CheckOutcome& outcome) {
    const auto sizes = sizes_to_check(options.sizes);
    for (const std::size_t i : spread_order(sizes.size())) {
        if (is_over(0)) {
            ++outcome.left;
            continue;
        }
        const std::size_t n = sizes[i];
        std::unique_ptr<bench::VectorTimer> timer;
        for (const VectorProfile& kernel : profile.vectors) {
            if (kernel.values != options.values || kernel.model.tree.empty()) continue;
            if (!options.only.empty() && kernel.work.kernel != options.only) continue;
            options.progress(fmt::format("checking {} of {} values", kernel.work.kernel, n));
            if (!timer) timer = measurer.vectors(options.values, n);
            auto& points = times_of(kernel, outcome).points;
            outcome.shapes.push_back(check_shape(*timer, kernel, profile.probe, n, points));
        }
    }
}

}  // namespace

std::vector<std::size_t> sizes_to_check(int count) {
    constexpr double kFrom = 1500;
    constexpr double kTo = 2e7;
    std::vector<std::size_t> sizes;
    for (int i = 0; i < count; ++i) {
        const double share = count == 1 ? 0 : i / double(count - 1);
        const auto even = 2 * static_cast<std::size_t>(std::llround(kFrom * std::pow(kTo / kFrom, share) / 2));
        sizes.push_back(i % 2 == 0 ? even + 1 : even);
    }
    return sizes;
}

CheckOutcome check_against(Profile profile, const std::vector<VectorProfile>& times) {
    CheckOutcome outcome;
    for (VectorProfile& kernel : profile.vectors) {
        if (!kernel.points.empty()) kernel.model = fit_vector_model(kernel.work, profile.probe, kernel.points);
        if (kernel.model.tree.empty()) continue;
        for (const VectorProfile& of : times) {
            const bool is_same = of.values == kernel.values && of.work.kernel == kernel.work.kernel;
            if (is_same) compare_shapes(kernel, of.points, outcome);
        }
    }
    if (outcome.shapes.empty() && outcome.errors.empty())
        throw Error("there are no times of kernels over vectors that the profile chooses launch shapes of");
    summarize(outcome);
    return outcome;
}

CheckOutcome check(bench::Measurer& measurer, const Profile& profile, const CheckOptions& options) {
    const bool is_there =
        std::ranges::any_of(profile.vectors, [&](const VectorProfile& one) { return one.work.kernel == options.only; });
    if (!options.only.empty() && !is_there)
        throw Error(fmt::format("the profile has no kernel '{}' to check", options.only), ExitCode::usage);
    CheckOutcome outcome;
    outcome.summary.values = options.values;
    outcome.summary.sizes = {value_bytes_of(options.values), measurer.sum_bytes(options.values)};
    const auto begun = std::chrono::steady_clock::now();
    const auto is_over = [&](double seconds) { return seconds_since(begun) + seconds >= options.seconds; };
    check_matrices(measurer, profile, options, is_over, outcome);
    check_vectors(measurer, profile, options, is_over, outcome);
    summarize(outcome);
    return outcome;
}

}  // namespace tilespmv::tools
