#include "selector/models/measured_shapes.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <tuple>
#include <utility>

namespace tilespmv {
namespace {

using ShapeKey = std::tuple<int, int, int>;
ShapeKey key_of(const LaunchShape& s) { return {s.threads, s.elements, s.max_blocks}; }
/// Times by n and effective shape; the last one of those measured twice.
using Times = std::map<std::size_t, std::map<ShapeKey, double>>;

Times times_of(std::span<const VectorPoint> points) {
    Times times;
    for (const VectorPoint& point : points)
        times[point.n][key_of(effective_shape(point.shape, point.n))] = point.seconds;
    return times;
}

/// A shape that is no slower behind a step than before it has none there. Its times at these two sizes are forgotten:
/// few other shapes were measured at them, and what makes all of them seem faster at one size would count for these
/// alone.
void forget_if_level(std::vector<TimeAt>& times, std::size_t step) {
    const auto behind = std::ranges::find(times, static_cast<double>(behind_step(step)), &TimeAt::n);
    if (behind == times.end() || behind == times.begin()) return;
    const auto before = behind - 1;
    const double gap = static_cast<double>(step) - before->n;
    const bool is_just_before = gap == 0 || gap == 1;
    if (is_just_before && behind->seconds <= before->seconds) times.erase(before, behind + 1);
}

/// A size just behind a step may lie next to one that all shapes are measured at: a line through both says nothing.
void keep_apart(std::vector<TimeAt>& times, std::span<const std::size_t> steps) {
    constexpr double kNear = 1.01;
    const auto is_another = [&](const TimeAt& a, const TimeAt& b) {
        const auto is_between = [&](std::size_t step) {
            return a.n <= static_cast<double>(step) && static_cast<double>(step) < b.n;
        };
        return b.n < kNear * a.n && std::ranges::none_of(steps, is_between);
    };
    times.erase(std::ranges::unique(times, is_another).begin(), times.end());
}

MeasuredShape measured_of(const VectorWork& work, const Probe& probe, const LaunchShape& shape, const Times& times) {
    MeasuredShape found{shape, {}, steps_of(work, probe, shape)};
    for (const auto& [n, by_shape] : times) {
        const auto time = by_shape.find(key_of(effective_shape(shape, n)));
        if (time != by_shape.end()) found.times.push_back({static_cast<double>(n), time->second});
    }
    for (const std::size_t step : found.steps) forget_if_level(found.times, step);
    keep_apart(found.times, found.steps);
    return found;
}

/// 1 of none.
double median_of(std::vector<double> values) {
    if (values.empty()) return 1;
    const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
    std::ranges::nth_element(values, middle);
    return *middle;
}

/// The line between the times at two sizes; none if the candidate was not measured at both.
std::optional<Line> line_between(const MeasuredShape& one, double from, double to) {
    const auto a = std::ranges::find(one.times, from, &TimeAt::n);
    const auto b = std::ranges::find(one.times, to, &TimeAt::n);
    if (a == one.times.end() || b == one.times.end()) return {};
    return line_through(*a, *b);
}

/// How many times as long as between two sizes all those take at n that were measured at all three; the median.
double common_ratio(std::span<const MeasuredShape> candidates, double n, double from, double to) {
    std::vector<double> ratios;
    for (const MeasuredShape& one : candidates) {
        const auto line = line_between(one, from, to);
        const auto time = std::ranges::find(one.times, n, &TimeAt::n);
        if (line && time != one.times.end()) ratios.push_back(time->seconds / line->at(n));
    }
    return median_of(std::move(ratios));
}

/// Behind a step few shapes are measured. Where these take less there than a line between the sizes around has it, all
/// shapes do, and the others get a time as much below their lines: times rise steeply behind, or all seem faster.
void share_what_is_common(std::vector<MeasuredShape>& candidates, double n, double from, double to) {
    const double ratio = common_ratio(candidates, n, from, to);
    if (ratio >= 1) return;
    for (MeasuredShape& one : candidates) {
        const auto line = line_between(one, from, to);
        const auto behind = std::ranges::lower_bound(one.times, n, {}, &TimeAt::n);
        if (line && behind->n != n) one.times.insert(behind, {n, ratio * line->at(n)});
    }
}

/// Sizes at which all shapes were measured, ascending.
std::vector<double> whole_sizes(const VectorWork& work, const Probe& probe, const Times& times) {
    std::vector<double> whole;
    for (const auto& [n, by_shape] : times) {
        if (by_shape.size() >= shapes_to_measure(work, probe, n).size()) whole.push_back(static_cast<double>(n));
    }
    return whole;
}

/// Does so at all sizes just behind steps, between two at which all shapes were measured.
void share_at_steps(std::vector<MeasuredShape>& candidates, std::span<const double> whole) {
    std::set<std::size_t> behind;
    for (const MeasuredShape& one : candidates) {
        for (const std::size_t step : one.steps) behind.insert(behind_step(step));
    }
    for (const std::size_t n : behind) {
        const auto to = std::ranges::upper_bound(whole, static_cast<double>(n));
        if (to == whole.begin() || to == whole.end() || *(to - 1) == static_cast<double>(n)) continue;
        share_what_is_common(candidates, static_cast<double>(n), *(to - 1), *to);
    }
}

/// The median of all times at n.
double median_at(std::span<const MeasuredShape> candidates, double n) {
    std::vector<double> seconds;
    for (const MeasuredShape& one : candidates) {
        const auto time = std::ranges::find(one.times, n, &TimeAt::n);
        if (time != one.times.end()) seconds.push_back(time->seconds);
    }
    return median_of(std::move(seconds));
}

/// How much longer a shape takes than others at the i-th size: on average there and, with half the weight, at the sizes
/// on both sides.
double evened_ratio(std::span<const TimeAt> times, std::span<const double> sizes, std::span<const double> medians,
                    std::size_t i) {
    constexpr double kWeightBeside = 0.5;
    double sum = 0;
    double weights = 0;
    for (std::size_t j = i == 0 ? 0 : i - 1; j < std::min(i + 2, sizes.size()); ++j) {
        const auto time = std::ranges::find(times, sizes[j], &TimeAt::n);
        if (time == times.end()) continue;
        const double weight = j == i ? 1 : kWeightBeside;
        sum += weight * time->seconds / medians[j];
        weights += weight;
    }
    return sum / weights;
}

/// Where half of the cache does not hold the vectors, a shape takes up to a tenth more or less at one size than at the
/// next, compared with others, for what was left in the cache: `sizes`.
void even_out(std::vector<MeasuredShape>& candidates, std::span<const double> sizes) {
    std::vector<double> medians;
    for (const double n : sizes) medians.push_back(median_at(candidates, n));
    for (MeasuredShape& one : candidates) {
        const std::vector<TimeAt> times = one.times;
        for (std::size_t i = 0; i < sizes.size(); ++i) {
            const auto time = std::ranges::find(one.times, sizes[i], &TimeAt::n);
            if (time != one.times.end()) time->seconds = evened_ratio(times, sizes, medians, i) * medians[i];
        }
    }
}

}  // namespace

Line line_through(const TimeAt& a, const TimeAt& b) {
    const double slope = (b.seconds - a.seconds) / (b.n - a.n);
    return {slope, a.seconds - slope * a.n};
}

std::vector<MeasuredShape> measured_candidates(const VectorWork& work, const Probe& probe,
                                               std::span<const VectorPoint> points) {
    const Times times = times_of(points);
    std::vector<MeasuredShape> candidates;
    for (const LaunchShape& shape : candidate_shapes(work, probe))
        candidates.push_back(measured_of(work, probe, shape, times));
    const std::vector<double> whole = whole_sizes(work, probe, times);
    share_at_steps(candidates, whole);
    constexpr double kOfCache = 0.5;
    const double from = kOfCache * probe.cache_bytes / work.bytes_per_element();
    even_out(candidates, {std::ranges::lower_bound(whole, from), whole.end()});
    return candidates;
}

}  // namespace tilespmv
