#include "selector/models/profile.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "tile/error.hpp"
#include "tile/io/printable.hpp"
#include "tile/parallel.hpp"
#include "tile/types.hpp"

namespace tilespmv {
namespace {

/// What most of the time goes to.
void add_reason(const SpmvModel& model, const ProductWork& work, RankedOperator& ranked) {
    const auto amounts = amounts_of(work);
    std::size_t most = 0;
    double sum = 0;
    for (std::size_t i = 0; i < amounts.size(); ++i) {
        sum += amounts[i] * model.costs[i];
        if (amounts[i] * model.costs[i] > amounts[most] * model.costs[most]) most = i;
    }
    ranked.mostly = model_terms()[most].meaning;
    ranked.mostly_share = sum > 0 ? amounts[most] * model.costs[most] / sum : 0;
}

double preparation(const SpmvModel& model, const Candidate& candidate, const OperatorQuestion& q,
                   const Profile& profile) {
    if (candidate.is_made_from_tiles && q.has_tiles) return 0;
    const SpmvModel* const as = find_model(profile.models, candidate.prepared_as, q.features.sizes());
    return predict_preparation(as != nullptr ? *as : model, q.features);
}

RankedOperator ranked_by(const SpmvModel& model, const Candidate& candidate, const ProductWork& work,
                         const OperatorQuestion& q, const Profile& profile) {
    RankedOperator ranked;
    ranked.specification = model.specification;
    ranked.seconds = predict(model, work);
    ranked.preparation_seconds = preparation(model, candidate, q, profile);
    ranked.matrix_bytes = candidate.matrix_bytes(q.features);
    ranked.work = work.work;
    add_reason(model, work, ranked);
    return ranked;
}

std::vector<std::string_view> modelled_specifications(const Profile& profile) {
    std::vector<std::string_view> all;
    for (const SpmvModel& model : profile.models) {
        if (!all.empty() && all.back() == model.specification) continue;  // of other sizes of numbers
        if (std::ranges::find(all, model.specification) == all.end()) all.push_back(model.specification);
    }
    return all;
}

/// None for what cannot be chosen.
std::optional<RankedOperator> rank_by_model(std::string_view specification, const OperatorQuestion& question,
                                            const Profile& profile) {
    const auto one = modelled_operator(profile.probe.is_gpu, specification);
    // Measured without what makes it take new values, by an earlier version.
    if (!one.options.empty() && specification_of(one) != specification) return {};
    const MatrixFeatures& f = question.features;
    const ProductWork work = product_work(one, f, profile.probe);
    if (!can_be_made(one, f, work.bytes)) return {};
    return ranked_by(*find_model(profile.models, specification, f.sizes()), one, work, question, profile);
}

/// By the one of all operators on small matrices, if there is one.
std::vector<RankedOperator> rank_if_small(const OperatorQuestion& question, const Profile& profile) {
    const SmallModel* const small = find_small_model(profile.small_models, question.features);
    return small == nullptr ? std::vector<RankedOperator>{} : rank_operators(question, *small);
}

std::vector<RankedOperator> rank_by_models(const OperatorQuestion& question, const Profile& profile) {
    const auto specifications = modelled_specifications(profile);
    std::vector<std::optional<RankedOperator>> all(specifications.size());
    parallel_for(0, std::ssize(all), 1, [&](std::int64_t i) {
        const auto at = static_cast<std::size_t>(i);
        all[at] = rank_by_model(specifications[at], question, profile);
    });
    std::vector<RankedOperator> ranked;
    for (auto& one : all) {
        if (one) ranked.push_back(*std::move(one));
    }
    std::ranges::stable_sort(ranked, {}, [&](const auto& one) { return one.total_seconds(question.products); });
    return ranked;
}

/// To 6 digits, decimal ones, as a text of it has them.
double rounded(double x) {
    if (x == 0 || !std::isfinite(x)) return x;
    return std::stod(fmt::format("{:.6g}", x));
}

/// Puts after the first, which stays, the rules' next in every other place. What the models think little of may be
/// the fastest for a reason that they do not know, and a trial of the first few finds out.
void take_in_turn(std::vector<RankedOperator>& by_models, const std::vector<RankedOperator>& by_rules) {
    std::ptrdiff_t place = 1;
    for (const RankedOperator& next : by_rules) {
        if (place >= std::ssize(by_models)) return;
        const auto here = by_models.begin() + place;
        const auto found = std::find_if(here, by_models.end(),
                                        [&](const auto& one) { return one.specification == next.specification; });
        if (found == by_models.end()) continue;
        std::rotate(here, found, found + 1);
        place += 2;
    }
}

}  // namespace

void fit_models(Profile& profile) {
    profile.models = fit_spmv_models(profile.matrices, profile.probe);
    profile.small_models.clear();
    if (profile.probe.is_gpu) profile.small_models = fit_small_models(profile.matrices, profile.models);
}

Profile without_measurements(Profile profile) {
    profile.matrices.clear();
    for (SpmvModel& model : profile.models) {
        for (double& weight : model.anchors.weights()) weight = rounded(weight);
    }
    for (SmallModel& model : profile.small_models) {
        for (float& weight : model.weights) weight = static_cast<float>(rounded(weight));
    }
    return profile;
}

std::vector<RankedOperator> rank_operators(const OperatorQuestion& question, const Profile& profile) {
    if (auto small = rank_if_small(question, profile); !small.empty()) return small;
    return rank_by_models(question, profile);
}

std::vector<RankedOperator> rank_for_trial(const OperatorQuestion& question, const Profile& profile) {
    auto ranked = rank_by_models(question, profile);
    if (const auto small = rank_if_small(question, profile); !small.empty()) {
        std::erase_if(ranked, [&](const auto& one) { return one.specification == small.front().specification; });
        ranked.insert(ranked.begin(), small.front());
    }
    take_in_turn(ranked, rank_operators(question));
    return ranked;
}

OperatorQuestion question_on(const Probe& probe, const MatrixFeatures& features) {
    OperatorQuestion question{.features = features};
    if (!probe.is_gpu) {
        question.threads = probe.multiprocessors;
        return question;
    }
    const int capability = 0;  // a probe does not have it
    question.gpu = with_measured_rates(
        gpu_of({capability, probe.multiprocessors, probe.threads / 32, probe.cache_bytes}, features.value_bytes),
        probe);
    return question;
}

std::size_t value_bytes_of(std::string_view values) {
#define TILESPMV_BYTES(V) \
    if (values == value_name<V>()) return sizeof(V);
    TILESPMV_FOR_EACH_VALUE(TILESPMV_BYTES)
#undef TILESPMV_BYTES
    throw Error(fmt::format("there are no values of type '{}'", printable(values)));
}

const ProfileCheck* find_check(const Profile& profile, const NumberSizes& sizes) {
    const auto found = std::ranges::find(profile.checks, sizes, &ProfileCheck::sizes);
    return found == profile.checks.end() ? nullptr : &*found;
}

void keep_check(Profile& profile, const ProfileCheck& check) {
    auto known = std::ranges::find(profile.checks, check.sizes, &ProfileCheck::sizes);
    if (known == profile.checks.end()) {
        known = profile.checks.insert(known, {.values = check.values, .sizes = check.sizes});
    }
    *known = check;
}

bool decides(const Profile& profile, const NumberSizes& sizes) {
    const ProfileCheck* nearest = nullptr;
    for (const ProfileCheck& one : profile.checks) {
        if (one.models.choices == 0) continue;
        if (nearest == nullptr || distance(one.sizes, sizes) < distance(nearest->sizes, sizes)) nearest = &one;
    }
    return nearest != nullptr && nearest->models.mean_loss < nearest->rules.mean_loss;
}

}  // namespace tilespmv
