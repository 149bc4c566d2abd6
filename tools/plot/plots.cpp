#include "tools/plot/plots.hpp"

#include <algorithm>
#include <cctype>
#include <set>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "tools/plot/draw.hpp"
#include "tools/plot/sweeps.hpp"

namespace tilespmv::tools {
namespace {

/// Where, on what values and how many matrices: what all plots say below their title. Only right results count.
std::string describe(const bench::ResultSet& set, bench::Mode mode = bench::Mode::warm) {
    std::set<std::string> matrices;
    std::set<std::string> values;
    bool on_gpu = false;
    for (const auto& r : set.results) {
        if (r.status != bench::Status::ok) continue;
        matrices.insert(r.id.matrix);
        values.insert(r.id.values);
        on_gpu = on_gpu || r.id.device != "cpu";
    }
    return fmt::format(
        "{}, {}, {} {}, {}", on_gpu && !set.machine.gpu.name.empty() ? set.machine.gpu.name : cpu_of(set.machine),
        fmt::join(values, " and "), matrices.size(), matrices.size() == 1 ? "matrix" : "matrices", mode_name(mode));
}

Plot scatter(std::string name, std::vector<Series> series, const ScatterAxes& axes, const ScatterText& text,
             const std::string& nothing) {
    if (series.empty()) return {std::move(name), {}, nothing};
    const std::size_t all = series.size();
    series = largest(std::move(series), kMostSeries);
    std::string note;
    if (series.size() < all) note = fmt::format("shows the {} best of {} series", series.size(), all);
    return {std::move(name), draw_scatter(series, axes, text), note};
}

std::string no_speedups(const std::string& baseline) {
    return baseline.empty() ? "no case has a speed-up over a baseline"
                            : fmt::format("no case has a speed-up over {}", baseline);
}

Plot speedup_plot(const bench::ResultSet& set, const std::string& baseline, bench::Mode mode) {
    return scatter("speedup", speedups_by_nonzeros(set, baseline, mode), {.x_unit = "", .y_unit = "\u00d7"},
                   {.title = "Speed-up over " + baseline,
                    .subtitle = describe(set, mode),
                    .x_label = "nonzeros",
                    .y_label = "speed-up",
                    .hollow = "",
                    .reference = baseline},
                   no_speedups(baseline));
}

Plot variation_plot(const bench::ResultSet& set, const std::string& baseline, bench::Mode mode) {
    return scatter("variation", speedups_by_variation(set, baseline, mode), {.x_unit = "", .y_unit = "\u00d7"},
                   {.title = fmt::format("Speed-up over {} by how even the rows are", baseline),
                    .subtitle = describe(set, mode),
                    .x_label = fmt::format("variation of the row length: standard deviation / mean (at least {})",
                                           kLeastVariation),
                    .y_label = "speed-up",
                    .hollow = "",
                    .reference = baseline},
                   no_speedups(baseline));
}

Plot bandwidth_plot(const bench::ResultSet& set) {
    auto series = bandwidth_by_nonzeros(set);
    const bool any_in_cache = std::ranges::any_of(
        series, [](const Series& s) { return std::ranges::any_of(s.points, [](const Point& p) { return p.hollow; }); });
    return scatter("bandwidth", std::move(series),
                   {.x_unit = "", .y_unit = "%", .y_scale = Scale::linear, .reference = 100},
                   {.title = "Share of the read bandwidth",
                    .subtitle = describe(set),
                    .x_label = "nonzeros",
                    .y_label = "percent of the bandwidth measured in the same run",
                    .hollow = any_in_cache ? "fits the cache" : "",
                    .reference = "read bandwidth"},
                   "no case has a bandwidth");
}

}  // namespace

std::vector<Plot> make_plots(const bench::ResultSet& set, const std::string& baseline, bench::Mode mode) {
    std::string over = baseline;
    const auto known = baselines_of(set);
    if (over.empty() && !known.empty()) over = known.front();
    std::vector<Plot> plots{speedup_plot(set, over, mode), bandwidth_plot(set), variation_plot(set, over, mode)};
    const auto all_mixes = executed_mixes(set);
    for (const auto& mixes : all_mixes) {
        plots.push_back({fmt::format("executed-{}", file_name_of(mixes.series)),
                         draw_mixes(mixes.mixes, {.title = fmt::format("What {} executed", mixes.series),
                                                  .subtitle = describe(set),
                                                  .legend = "executed as",
                                                  .x_label = "share of the nonzeros"}),
                         ""});
    }
    if (all_mixes.empty()) plots.push_back({"executed", {}, "no case on tiles says what it executed"});
    for (auto& plot : sweep_plots(set, describe(set))) plots.push_back(std::move(plot));
    return plots;
}

std::string file_name_of(std::string_view text) {
    std::string name(text);
    const auto is_plain = [](char c) {
        return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '.' || c == '-' || c == '_';
    };
    std::ranges::replace_if(
        name, [&](char c) { return !is_plain(c); }, '_');
    return name;
}

}  // namespace tilespmv::tools
