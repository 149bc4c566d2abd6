#include "bench/harness/compare.hpp"

#include <cmath>
#include <limits>

#include "bench/harness/statistics.hpp"

namespace tilespmv::bench {
namespace {

std::string_view why_not_compared(const Result* first, const Result* second) {
    if (!first) return "only in the second";
    if (!second) return "only in the first";
    if (first->status != Status::ok)
        return first->status == Status::wrong ? "wrong in the first" : "failed in the first";
    if (second->status != Status::ok)
        return second->status == Status::wrong ? "wrong in the second" : "failed in the second";
    return "";
}

Comparison compare_case(const Result* first, const Result* second, double smallest_effect) {
    Comparison c{.id = first ? first->id : second->id, .warm = {}, .reason = why_not_compared(first, second)};
    if (first) c.first_seconds = metrics(*first).seconds;
    if (second) c.second_seconds = metrics(*second).seconds;
    if (!c.reason.empty()) return c;
    c.warm = time_ratio(first->warm, second->warm);
    c.verdict = decide(c.warm, smallest_effect);
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

std::vector<Comparison> compare(const ResultSet& first, const ResultSet& second, double smallest_effect) {
    std::vector<Comparison> comparisons;
    for (const Result& result : first.results) {
        comparisons.push_back(compare_case(&result, second.find(result.id), smallest_effect));
    }
    for (const Result& result : second.results) {
        if (!first.find(result.id)) comparisons.push_back(compare_case(nullptr, &result, smallest_effect));
    }
    return comparisons;
}

}  // namespace tilespmv::bench
