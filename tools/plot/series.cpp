#include "tools/plot/series.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>
#include <optional>
#include <set>

#include <fmt/format.h>

#include "bench/harness/contest.hpp"
#include "bench/harness/statistics.hpp"
#include "tools/options/source.hpp"
#include "tools/text/executed_text.hpp"

namespace tilespmv::tools {
namespace {

using bench::Result;
using bench::ResultSet;

/// What a series is called, as short as tells the cases of this set apart.
class SeriesNames {
public:
    explicit SeriesNames(const ResultSet& set) {
        std::set<std::string> values;
        std::set<std::string> devices;
        for (const auto& r : set.results) {
            values.insert(r.id.values);
            devices.insert(r.id.device);
        }
        shows_values_ = values.size() > 1;
        shows_device_ = devices.size() > 1;
    }

    [[nodiscard]] std::string of(const Result& r) const {
        std::string name = r.id.operator_name;
        if (!r.id.selector.empty()) name += " " + r.id.selector;
        if (shows_values_) name += " " + r.id.values;
        if (shows_device_) name += " " + r.id.device;
        return name;
    }

private:
    bool shows_values_ = false;
    bool shows_device_ = false;
};

/// Series of the points that `point_of(result)` gives, if any.
template <class PointOf>
std::vector<Series> collect(const ResultSet& set, PointOf&& point_of) {
    const SeriesNames names(set);
    std::vector<Series> all;
    for (const auto& r : set.results) {
        if (!is_drawable(r)) continue;
        std::optional<Point> point = point_of(r);
        if (!point || !std::isfinite(point->x) || !std::isfinite(point->y)) continue;
        const std::string name = names.of(r);
        auto series = std::ranges::find(all, name, &Series::name);
        if (series == all.end()) series = all.insert(all.end(), {name, {}});
        point->hint = fmt::format("{}, {}: {}", source_name(r.id.matrix), name, point->hint);
        series->points.push_back(std::move(*point));
    }
    return all;
}

std::optional<Point> speedup_point(const Result& r, const std::string& baseline, bench::Mode mode, double x) {
    const bench::Speedup* speedup = bench::find_speedup(r, baseline, mode);
    if (speedup == nullptr || bench::stands_for(baseline, r.id.operator_name) || speedup->median <= 0) return {};
    return Point{x, speedup->median, false, fmt::format("{:.3g}x", speedup->median)};
}

double mean_of(const Series& series) {
    std::vector<double> values;
    for (const auto& point : series.points) values.push_back(point.y);
    return bench::geometric_mean(values);
}

ExecutedMix mix_of(const Result& r) {
    ExecutedMix mix{source_name(r.id.matrix), {}};
    for (const auto& part : r.executed) {
        mix.parts.push_back({part_name(part), static_cast<double>(part.nnz) / static_cast<double>(r.nnz)});
    }
    return mix;
}

}  // namespace

bool is_drawable(const Result& r) { return r.status == bench::Status::ok && r.nnz > 0; }

std::vector<std::string> baselines_of(const ResultSet& set) {
    std::vector<std::string> names;
    for (const auto& r : set.results) {
        for (const auto& speedup : r.speedups) {
            if (std::ranges::count(names, speedup.baseline) == 0) names.push_back(speedup.baseline);
        }
    }
    return names;
}

std::vector<Series> speedups_by_nonzeros(const ResultSet& set, const std::string& baseline, bench::Mode mode) {
    return collect(set, [&](const Result& r) { return speedup_point(r, baseline, mode, static_cast<double>(r.nnz)); });
}

std::vector<Series> speedups_by_variation(const ResultSet& set, const std::string& baseline, bench::Mode mode) {
    return collect(set, [&](const Result& r) {
        return speedup_point(r, baseline, mode, std::max(r.row_variation, kLeastVariation));
    });
}

std::vector<Series> bandwidth_by_nonzeros(const ResultSet& set) {
    return collect(set, [](const Result& r) -> std::optional<Point> {
        const bench::Metrics m = bench::metrics(r);
        if (m.share_of_bandwidth <= 0) return {};
        const double percent = 100 * m.share_of_bandwidth;
        return Point{static_cast<double>(r.nnz), percent, m.in_cache, fmt::format("{:.0f}%", percent)};
    });
}

std::vector<Series> largest(std::vector<Series> series, std::size_t count) {
    if (series.size() <= count) return series;
    std::vector<std::size_t> best(series.size());
    std::iota(best.begin(), best.end(), std::size_t{0});
    std::ranges::stable_sort(best, std::greater<>(), [&](std::size_t i) { return mean_of(series[i]); });
    best.resize(count);
    std::ranges::sort(best);
    std::vector<Series> kept;
    for (const std::size_t i : best) kept.push_back(std::move(series[i]));
    return kept;
}

std::vector<SeriesMixes> executed_mixes(const ResultSet& set) {
    const SeriesNames names(set);
    std::vector<SeriesMixes> all;
    for (const auto& r : set.results) {
        if (!is_drawable(r) || r.id.selector.empty() || r.executed.empty()) continue;
        const std::string name = names.of(r);
        auto series = std::ranges::find(all, name, &SeriesMixes::series);
        if (series == all.end()) series = all.insert(all.end(), {name, {}});
        ExecutedMix mix = mix_of(r);
        auto& mixes = series->mixes;
        if (std::ranges::find(mixes, mix.matrix, &ExecutedMix::matrix) == mixes.end()) mixes.push_back(std::move(mix));
    }
    return all;
}

}  // namespace tilespmv::tools
