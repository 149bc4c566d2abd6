#include "bench/harness/compare.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <map>
#include <set>

#include "bench/harness/contest.hpp"
#include "bench/harness/statistics.hpp"

namespace tilespmv::bench {
namespace {

/// What is said of a result that is not ok.
struct Troubles {
    std::string_view wrong, skipped, failed;
};
constexpr Troubles kFirst{"wrong in the first", "skipped in the first", "failed in the first"};
constexpr Troubles kSecond{"wrong in the second", "skipped in the second", "failed in the second"};

std::string_view trouble(Status status, const Troubles& one) {
    return status == Status::wrong ? one.wrong : status == Status::skipped ? one.skipped : one.failed;
}

using Runs = std::vector<const Result*>;  ///< results of one case, of each run of a side that has it

Runs runs_of(const std::vector<ResultSet>& side, const CaseId& id) {
    Runs runs;
    for (const ResultSet& set : side) {
        if (const Result* result = set.find(id)) runs.push_back(result);
    }
    return runs;
}

const ResultSet& run_with(const std::vector<ResultSet>& side, const CaseId& id) {
    return *std::ranges::find_if(side, [&](const ResultSet& set) { return set.find(id) != nullptr; });
}

std::string_view why_not_compared(const Runs& first, const Runs& second, Mode mode) {
    if (first.empty()) return "only in the second";
    if (second.empty()) return "only in the first";
    for (const auto* runs : {&first, &second}) {
        for (const Result* run : *runs) {
            if (run->status != Status::ok) return trouble(run->status, runs == &first ? kFirst : kSecond);
        }
    }
    for (const auto* runs : {&first, &second}) {
        for (const Result* run : *runs) {
            if (run->pattern_values != first.front()->pattern_values) return "of other values (--pattern-values)";
            if (timing(*run, mode).seconds.empty())
                return runs == &first ? "not measured in the first" : "not measured in the second";
        }
    }
    return "";
}

std::vector<double> medians_of(const Runs& runs, Mode mode) {
    std::vector<double> medians;
    for (const Result* run : runs) medians.push_back(median_seconds(*run, mode));
    return medians;
}

/// Of several runs.
double typical(const std::vector<double>& medians) {
    return medians.size() == 1 ? medians.front() : geometric_mean(medians);
}

/// a / b, with independent errors of the logarithm.
TimeRatio over(const TimeRatio& a, const TimeRatio& b) {
    const double median = a.median / b.median;
    const double down = std::hypot(std::log(a.median / a.low), std::log(b.high / b.median));
    const double up = std::hypot(std::log(a.high / a.median), std::log(b.median / b.low));
    return {.median = median, .low = median * std::exp(-down), .high = median * std::exp(up)};
}

/// The factor of the 95% interval of Student's t; that of 30 degrees of freedom for more, which is too large by 4%.
double student_factor(std::size_t freedom) {
    constexpr std::array kFactors{12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228,
                                  2.201,  2.179, 2.160, 2.145, 2.131, 2.120, 2.110, 2.101, 2.093, 2.086,
                                  2.080,  2.074, 2.069, 2.064, 2.060, 2.056, 2.052, 2.048, 2.045, 2.042};
    return kFactors[std::min(freedom, kFactors.size()) - 1];
}

/// Of the logarithms of times: their mean, and the sum of the squares of what they differ from it.
struct Logs {
    double mean = 0;
    double squares = 0;

    explicit Logs(std::span<const double> seconds) : mean(std::log(geometric_mean(seconds))) {
        for (const double one : seconds) squares += std::pow(std::log(one) - mean, 2);
    }
};

class Comparer {
public:
    Comparer(const std::vector<ResultSet>& first, const std::vector<ResultSet>& second, const CompareRules& rules)
        : first_(first), second_(second), rules_(rules) {}

    [[nodiscard]] Comparison of(const CaseId& id) const {
        const Runs first = runs_of(first_, id), second = runs_of(second_, id);
        const std::vector<double> before = medians_of(first, rules_.mode), after = medians_of(second, rules_.mode);
        Comparison c{.id = id,
                     .ratio = {},
                     .first_seconds = typical(before),
                     .second_seconds = typical(after),
                     .reason = why_not_compared(first, second, rules_.mode),
                     .is_of_runs = first.size() + second.size() > 2,
                     .witness = {}};
        if (!c.reason.empty()) return c;
        c.ratio = c.is_of_runs ? time_ratio_of_runs(before, after) : ratio_of(*first.front(), *second.front());
        c.verdict = decide(c.ratio, rules_.smallest_effect);
        if (!c.is_of_runs) ask_witnesses(c);
        return c;
    }

private:
    [[nodiscard]] TimeRatio ratio_of(const Result& first, const Result& second) const {
        return time_ratio(timing(first, rules_.mode), timing(second, rules_.mode));
    }

    [[nodiscard]] bool is_witness(const CaseId& id) const {
        return std::ranges::any_of(rules_.witnesses,
                                   [&](const auto& name) { return stands_for(name, id.operator_name); });
    }

    /// A witness is compared with what it must be, 1. To be the same, nothing must speak against it: the time over that
    /// of a witness has the noise of both.
    void ask_witnesses(Comparison& c) const {
        const Verdict alone = c.verdict;
        const auto ask = [&](const TimeRatio& witness, const TimeRatio& relative) {
            if (!c.witness || std::abs(std::log(witness.median)) > std::abs(std::log(c.witness->median)))
                c.witness = witness;
            const Verdict other = decide(relative, rules_.smallest_effect);
            const bool agrees = other == alone || (alone == Verdict::same && other == Verdict::unclear);
            if (!agrees) c.verdict = Verdict::unclear;
        };
        if (is_witness(c.id)) return ask(c.ratio, {1, 1, 1});
        for (const Result& other : run_with(first_, c.id).results) {
            const Result* after = is_witness(other.id) ? run_with(second_, c.id).find(other.id) : nullptr;
            const bool is_beside = other.id.matrix == c.id.matrix && other.id.values == c.id.values &&
                                   other.id.device == c.id.device && other.id.threads == c.id.threads;
            if (!is_beside || !why_not_compared({&other}, after ? Runs{after} : Runs{}, rules_.mode).empty()) continue;
            const TimeRatio witness = ratio_of(other, *after);
            ask(witness, over(c.ratio, witness));
        }
    }

    const std::vector<ResultSet>& first_;
    const std::vector<ResultSet>& second_;
    const CompareRules& rules_;
};

}  // namespace

std::string_view verdict_name(Verdict verdict) {
    switch (verdict) {
        case Verdict::faster:
            return "faster";
        case Verdict::slower:
            return "slower";
        case Verdict::same:
            return "same";
        case Verdict::unclear:
            return "unclear";
        case Verdict::not_compared:
            break;
    }
    return "-";
}

TimeRatio time_ratio(const Timing& first, const Timing& second) {
    constexpr double kInfinity = std::numeric_limits<double>::infinity();
    const Summary a = summarize(first.seconds);
    const Summary b = summarize(second.seconds);
    if (std::isinf(a.noise()) || std::isinf(b.noise()))
        return {.median = b.median / a.median, .low = 0, .high = kInfinity};
    return over({b.median, b.low, b.high}, {a.median, a.low, a.high});
}

TimeRatio time_ratio_of_runs(std::span<const double> first_medians, std::span<const double> second_medians) {
    const Logs first(first_medians), second(second_medians);
    const std::size_t freedom = first_medians.size() + second_medians.size() - 2;
    const double variance = (first.squares + second.squares) / static_cast<double>(freedom);
    const double of_means =
        1 / static_cast<double>(first_medians.size()) + 1 / static_cast<double>(second_medians.size());
    const double half = student_factor(freedom) * std::sqrt(variance * of_means);
    const double change = second.mean - first.mean;
    return {.median = std::exp(change), .low = std::exp(change - half), .high = std::exp(change + half)};
}

Verdict decide(const TimeRatio& ratio, double smallest_effect) {
    const double above = 1 + smallest_effect;
    const double below = 1 / above;
    if (ratio.high < below) return Verdict::faster;
    if (ratio.low > above) return Verdict::slower;
    if (ratio.low >= below && ratio.high <= above) return Verdict::same;
    return Verdict::unclear;
}

std::vector<std::string> common_baselines(const std::vector<ResultSet>& first, const std::vector<ResultSet>& second) {
    std::map<std::string, std::size_t> sets_with;
    for (const auto* side : {&first, &second}) {
        for (const ResultSet& set : *side) {
            std::set<std::string> names;
            for (const Result& result : set.results) {
                for (const Speedup& speedup : result.speedups) names.insert(speedup.baseline);
            }
            for (const auto& name : names) ++sets_with[name];
        }
    }
    std::vector<std::string> common;
    for (const auto& [name, count] : sets_with) {
        if (count == first.size() + second.size()) common.push_back(name);
    }
    return common;
}

std::vector<Comparison> compare(const std::vector<ResultSet>& first, const std::vector<ResultSet>& second,
                                const CompareRules& rules) {
    const Comparer comparer(first, second, rules);
    std::set<CaseId> seen;
    std::vector<Comparison> comparisons;
    for (const auto* side : {&first, &second}) {
        for (const ResultSet& set : *side) {
            for (const Result& result : set.results) {
                if (seen.insert(result.id).second) comparisons.push_back(comparer.of(result.id));
            }
        }
    }
    return comparisons;
}

}  // namespace tilespmv::bench
