#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace tilespmv::bench {

/// What a set of samples says. Quartiles are interpolated linearly. [low, high] is the distribution-free confidence
/// interval of the median from order statistics, at least 95%; fewer than 6 samples give no such interval, and it is
/// [-infinity, infinity].
struct Summary {
    std::size_t count = 0;
    double min = 0;
    double lower_quartile = 0;
    double median = 0;
    double upper_quartile = 0;
    double max = 0;
    double low = 0;
    double high = 0;

    /// Interquartile range as a fraction of the median.
    [[nodiscard]] double spread() const;
    /// Half the width of the confidence interval as a fraction of the median; infinite without one.
    [[nodiscard]] double noise() const;
};

/// All zeros, with an unbounded interval, for no samples. Samples must not be NaN.
Summary summarize(std::span<const double> samples);

/// a[i] / b[i] of each round i that both have.
std::vector<double> paired_ratios(std::span<const double> a, std::span<const double> b);

/// 0 for no values; values must be positive.
double geometric_mean(std::span<const double> values);

}  // namespace tilespmv::bench
