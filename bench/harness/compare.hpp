#pragma once

#include <optional>
#include <span>
#include <string>
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

/// The ratio of the medians of two runs with its 95% confidence interval, which combines the distances of either median
/// to the ends of its own interval as independent errors of the logarithm (Zou and Donner, Statistics in Medicine 27,
/// 2008). It knows the noise within the runs only. Unbounded if there are fewer than six samples of either.
TimeRatio time_ratio(const Timing& first, const Timing& second);

/// The same of several runs a side, two on one of them at least: the ratio of the geometric means of their medians,
/// with the 95% confidence interval of Student's t for how much runs of a side differ, which is taken to be as much on
/// both.
TimeRatio time_ratio_of_runs(std::span<const double> first_medians, std::span<const double> second_medians);

/// With e the smallest effect of interest, such as 0.05: faster if the whole interval lies below 1 / (1 + e), slower if
/// it lies above 1 + e, same if it lies between the two, unclear otherwise.
Verdict decide(const TimeRatio& ratio, double smallest_effect);

struct Comparison {
    CaseId id;
    Verdict verdict = Verdict::not_compared;
    TimeRatio ratio;           ///< if the verdict is one of the first four
    double first_seconds = 0;  ///< median, of several runs their geometric mean; 0 if there is none
    double second_seconds = 0;
    std::string_view reason;           ///< why it was not compared
    bool is_of_runs = false;           ///< the interval is that of several runs
    std::optional<TimeRatio> witness;  ///< of the one that is farthest from 1; none if there was no witness
};

struct CompareRules {
    double smallest_effect = 0.05;
    Mode mode = Mode::warm;
    /// Operators that have not changed, or beginnings of their names (`stands_for`). Where there is one run a side, the
    /// verdict is `unclear`, unless the time over that of each witness on the same matrix says the same, or of `same`,
    /// nothing else: runs of one program differ by more than the noise within them.
    std::vector<std::string> witnesses = {};
};

/// The baselines of speed-ups that all of these results have: they were measured beside the others, in turn.
std::vector<std::string> common_baselines(const std::vector<ResultSet>& first, const std::vector<ResultSet>& second);

/// Every case of either side, each of some runs, by its times in a mode: those of the first in their order, then those
/// only the second has.
std::vector<Comparison> compare(const std::vector<ResultSet>& first, const std::vector<ResultSet>& second,
                                const CompareRules& rules);

}  // namespace tilespmv::bench
