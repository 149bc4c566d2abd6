#include "bench/harness/statistics.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace tilespmv::bench {
namespace {

constexpr double kTail = 0.025;  // of the confidence interval, on either side

double quantile(std::span<const double> sorted, double q) {
    const double position = q * static_cast<double>(sorted.size() - 1);
    const auto below = static_cast<std::size_t>(position);
    const auto above = std::min(below + 1, sorted.size() - 1);
    return std::lerp(sorted[below], sorted[above], position - static_cast<double>(below));
}

// The largest k with P(Binomial(n, 1/2) < k) <= kTail: the k-th smallest and the k-th largest of n samples enclose the
// median with confidence 1 - 2 * kTail at least. 0 if there is none.
std::size_t interval_rank(std::size_t n) {
    const double count = static_cast<double>(n);
    double tail = 0;
    for (std::size_t k = 0;; ++k) {
        const double chosen = static_cast<double>(k);
        tail += std::exp(std::lgamma(count + 1) - std::lgamma(chosen + 1) - std::lgamma(count - chosen + 1) -
                         count * std::log(2.0));
        if (tail > kTail) return k;
    }
}

}  // namespace

double Summary::spread() const { return median == 0 ? 0 : (upper_quartile - lower_quartile) / median; }

double Summary::noise() const {
    if (std::isinf(high)) return high;
    return median == 0 ? 0 : (high - low) / (2 * median);
}

Summary summarize(std::span<const double> samples) {
    constexpr double kInfinity = std::numeric_limits<double>::infinity();
    Summary s{.count = samples.size(), .low = -kInfinity, .high = kInfinity};
    if (samples.empty()) return s;
    std::vector<double> sorted(samples.begin(), samples.end());
    std::sort(sorted.begin(), sorted.end());
    s.min = sorted.front();
    s.lower_quartile = quantile(sorted, 0.25);
    s.median = quantile(sorted, 0.5);
    s.upper_quartile = quantile(sorted, 0.75);
    s.max = sorted.back();
    if (const std::size_t rank = interval_rank(sorted.size()); rank > 0) {
        s.low = sorted[rank - 1];
        s.high = sorted[sorted.size() - rank];
    }
    return s;
}

std::vector<double> paired_ratios(std::span<const double> a, std::span<const double> b) {
    std::vector<double> ratios(std::min(a.size(), b.size()));
    for (std::size_t i = 0; i < ratios.size(); ++i) ratios[i] = a[i] / b[i];
    return ratios;
}

double geometric_mean(std::span<const double> values) {
    if (values.empty()) return 0;
    double sum = 0;
    for (const double v : values) sum += std::log(v);
    return std::exp(sum / static_cast<double>(values.size()));
}

}  // namespace tilespmv::bench
