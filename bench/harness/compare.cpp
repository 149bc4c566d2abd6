#include "bench/harness/compare.hpp"

#include <cmath>
#include <limits>

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

std::string_view why_not_compared(const Result* first, const Result* second, Mode mode) {
    if (!first) return "only in the second";
    if (!second) return "only in the first";
    if (first->status != Status::ok) return trouble(first->status, kFirst);
    if (second->status != Status::ok) return trouble(second->status, kSecond);
    if (first->pattern_values != second->pattern_values) return "of other values (--pattern-values)";
    if (timing(*first, mode).seconds.empty()) return "not measured in the first";
    if (timing(*second, mode).seconds.empty()) return "not measured in the second";
    return "";
}

Comparison compare_case(const Result* first, const Result* second, double smallest_effect, Mode mode) {
    Comparison c{.id = first ? first->id : second->id, .ratio = {}, .reason = why_not_compared(first, second, mode)};
    if (first) c.first_seconds = median_seconds(*first, mode);
    if (second) c.second_seconds = median_seconds(*second, mode);
    if (!c.reason.empty()) return c;
    c.ratio = time_ratio(timing(*first, mode), timing(*second, mode));
    c.verdict = decide(c.ratio, smallest_effect);
    return c;
}

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
    const double median = b.median / a.median;
    if (std::isinf(a.noise()) || std::isinf(b.noise())) return {.median = median, .low = 0, .high = kInfinity};
    const double down = std::hypot(std::log(b.median / b.low), std::log(a.high / a.median));
    const double up = std::hypot(std::log(b.high / b.median), std::log(a.median / a.low));
    return {.median = median, .low = median * std::exp(-down), .high = median * std::exp(up)};
}

Verdict decide(const TimeRatio& ratio, double smallest_effect) {
    const double above = 1 + smallest_effect;
    const double below = 1 / above;
    if (ratio.high < below) return Verdict::faster;
    if (ratio.low > above) return Verdict::slower;
    if (ratio.low >= below && ratio.high <= above) return Verdict::same;
    return Verdict::unclear;
}

std::vector<Comparison> compare(const ResultSet& first, const ResultSet& second, double smallest_effect, Mode mode) {
    std::vector<Comparison> comparisons;
    for (const Result& result : first.results) {
        comparisons.push_back(compare_case(&result, second.find(result.id), smallest_effect, mode));
    }
    for (const Result& result : second.results) {
        if (!first.find(result.id)) comparisons.push_back(compare_case(nullptr, &result, smallest_effect, mode));
    }
    return comparisons;
}

}  // namespace tilespmv::bench
