#pragma once

#include <string_view>
#include <vector>

#include "bench/harness/result_file.hpp"

namespace tilespmv::bench {

enum class Verdict {
    faster,  ///< the second is faster
    slower,
    same,         ///< the difference is smaller than what was asked for
    unclear,      ///< the samples do not decide between these
    not_compared  ///< one of the two lacks the case or has no right result for it
};

std::string_view verdict_name(Verdict verdict);

/// Where the time of the second of two measurements lies in units of the first.
struct TimeRatio {
    double median = 0;
    double low = 0;
    double high = 0;
};

/// The ratio of the medians with its 95% confidence interval, which combines the distances of either median to the ends
/// of its own interval as independent errors of the logarithm (Zou and Donner, Statistics in Medicine 27, 2008).
/// Unbounded if there are fewer than six samples of either.
TimeRatio time_ratio(const Timing& first, const Timing& second);

/// With e the smallest effect of interest, such as 0.05: faster if the whole interval lies below 1 / (1 + e), slower if
/// it lies above 1 + e, same if it lies between the two, unclear otherwise.
Verdict decide(const TimeRatio& ratio, double smallest_effect);

struct Comparison {
    CaseId id;
    Verdict verdict = Verdict::not_compared;
    TimeRatio ratio;           ///< if the verdict is one of the first four
    double first_seconds = 0;  ///< medians; 0 if there is none
    double second_seconds = 0;
    std::string_view reason;  ///< why it was not compared
};

/// Every case of either set by its times in a mode: those of the first in their order, then those only the second has.
std::vector<Comparison> compare(const ResultSet& first, const ResultSet& second, double smallest_effect,
                                Mode mode = Mode::warm);

}  // namespace tilespmv::bench
