#include "tools/paper/plots.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "tile/statistics.hpp"
#include "tools/paper/case_numbers.hpp"
#include "tools/paper/speedups.hpp"
#include "tools/plot/draw.hpp"
#include "tools/plot/draw_ranks.hpp"

namespace tilespmv::tools {
namespace {

using bench::Result;
using Indices = std::vector<std::size_t>;

std::string setting_text(const PaperResults& results) {
    const auto& id = results.setting();
    const auto& machine = results.set().machine;
    return fmt::format("{}, {}", id.device == "cpu" ? cpu_of(machine) : id.device, id.values);
}

std::string subtitle_of(const PaperResults& results) {
    const auto count = results.matrices().size();
    return fmt::format("{}, {} {}, warm", setting_text(results), count, count == 1 ? "matrix" : "matrices");
}

/// A series for each contestant, of the numbers that `number_of(matrix, contestant)` gives, 0 for none.
template <class NumberOf>
std::vector<Series> over_nonzeros(const PaperResults& results, const Indices& contestants, NumberOf&& number_of) {
    std::vector<Series> all;
    for (const auto i : contestants) {
        Series series{short_name_of(results.contestants()[i]), {}};
        for (const auto& matrix : results.matrices()) {
            if (!matrix.results[i] || matrix.nnz == 0) continue;
            const double number = number_of(matrix, i);
            if (number <= 0 || !std::isfinite(number)) continue;
            series.points.push_back({static_cast<double>(matrix.nnz), number, false,
                                     fmt::format("{}, {}: {:.3g}", matrix.name, series.name, number)});
        }
        if (!series.points.empty()) all.push_back(std::move(series));
    }
    return all;
}

Plot scatter(std::string name, const std::vector<Series>& series, const ScatterAxes& axes, const ScatterText& text,
             const std::string& nothing) {
    if (series.empty()) return {std::move(name), {}, nothing};
    return {std::move(name), draw_scatter(series, axes, text), ""};
}

Indices configurations_and_competitors(const PaperResults& results) {
    Indices all = results.of_kind(ContestantKind::configuration);
    const Indices competitors = results.of_kind(ContestantKind::competitor);
    all.insert(all.end(), competitors.begin(), competitors.end());
    return all;
}

Plot speed_plot(const PaperResults& results) {
    return scatter("gflops",
                   over_nonzeros(results, configurations_and_competitors(results),
                                 [](const PaperMatrix& m, std::size_t i) { return gigaflops(*m.results[i]); }),
                   {.x_unit = "", .y_unit = "", .reference = {}},
                   {.title = "Speed of the configurations and their competitors",
                    .subtitle = subtitle_of(results),
                    .x_label = "nonzeros",
                    .y_label = "GFLOP/s",
                    .hollow = "",
                    .reference = ""},
                   "no matrix has nonzeros");
}

/// Contestants side by side on every matrix.
Plot rank_plot(const PaperResults& results, std::string name, const Indices& contestants, const std::string& title) {
    std::vector<RankedMatrix> matrices;
    for (const auto& matrix : results.matrices()) {
        RankedMatrix ranked{matrix.name, static_cast<double>(matrix.nnz), {}};
        for (const auto i : contestants) ranked.values.push_back(matrix.results[i] ? gigaflops(*matrix.results[i]) : 0);
        if (std::ranges::any_of(ranked.values, [](double v) { return v > 0; })) matrices.push_back(std::move(ranked));
    }
    if (matrices.empty()) return {std::move(name), {}, "nothing to compare"};
    std::vector<std::string> names;
    for (const auto i : contestants) names.push_back(label_of(results.contestants()[i]));
    return {std::move(name), draw_ranks(names, matrices, {title, subtitle_of(results), "GFLOP/s"}), ""};
}

Plot configurations_plot(const PaperResults& results) {
    Indices published = results.of_kind(ContestantKind::configuration);
    std::erase_if(published, [&](std::size_t i) { return results.contestants()[i].name == kPaperTuned; });
    return rank_plot(results, "configurations", published, "The published configurations");
}

Plot formats_plot(const PaperResults& results) {
    Indices formats = results.of_first_operator(ContestantKind::format);
    const auto adaptive = results.find(ContestantKind::configuration, kPaperAdaptive);
    if (adaptive && !formats.empty()) formats.push_back(*adaptive);
    return rank_plot(results, "formats", formats, fmt::format("Single formats and {}", kPaperAdaptive));
}

enum class ShareOf { tiles, nonzeros };

Plot shares_plot(const PaperResults& results, ShareOf of) {
    const std::string what = of == ShareOf::tiles ? "tiles" : "nonzeros";
    const std::string name = fmt::format("shares-{}", what);
    const auto adaptive = results.find(ContestantKind::configuration, kPaperAdaptive);
    std::vector<ExecutedMix> mixes;
    for (const auto& matrix : results.matrices()) {
        const Result* r = adaptive ? matrix.results[*adaptive] : nullptr;
        if (!r || matrix.nnz == 0) continue;
        ExecutedMix mix{matrix.name, {}};
        for (const auto& format : r->stored.formats) {
            const double part =
                of == ShareOf::tiles ? share(format.tiles, stored_tiles(*r)) : share(format.nnz, matrix.nnz);
            if (part > 0) mix.parts.push_back({format.name, part});
        }
        mixes.push_back(std::move(mix));
    }
    if (mixes.empty()) return {name, {}, fmt::format("there is no result of {}", kPaperAdaptive)};
    return {name,
            draw_mixes(mixes, {.title = fmt::format("Formats that {} chose, by {}", kPaperAdaptive, what),
                               .subtitle = "matrices by nonzeros, ascending",
                               .legend = "stored as",
                               .x_label = fmt::format("share of the {}", what)}),
            ""};
}

Plot storage_plot(const PaperResults& results) {
    const auto bytes_over_csr = [&](offset_t bench::StoredTiles::*bytes) {
        return over_nonzeros(
            results, results.of_first_operator(ContestantKind::configuration),
            [bytes](const PaperMatrix& m, std::size_t i) { return over_csr(m, m.results[i]->stored.*bytes); });
    };
    auto series = bytes_over_csr(&bench::StoredTiles::bytes);
    for (auto& published : bytes_over_csr(&bench::StoredTiles::published_bytes)) {
        const auto same = std::ranges::find(series, published.name, &Series::name);
        if (same == series.end()) continue;
        for (auto& point : published.points) {
            point.hollow = true;
            point.hint += ", as published";
            same->points.push_back(std::move(point));
        }
    }
    return scatter("storage", series, {.x_unit = "", .y_unit = "", .y_scale = Scale::linear},
                   {.title = "Bytes of the tiles over those of CSR",
                    .subtitle = fmt::format("CSR with 32-bit indices; {}", subtitle_of(results)),
                    .x_label = "nonzeros",
                    .y_label = "bytes / bytes of CSR",
                    .hollow = "in the published layout",
                    .reference = "CSR"},
                   "the results do not say what tiles take");
}

Plot preparation_plot(const PaperResults& results) {
    const std::string unit = results.preparation_unit();
    return scatter(
        "preparation",
        over_nonzeros(results, configurations_and_competitors(results),
                      [&](const PaperMatrix& m, std::size_t i) { return results.preparation(*m.results[i]); }),
        {.x_unit = "", .y_unit = "", .reference = {}},
        {.title = "Preparation: from CSR in host memory to an operator that is ready",
         .subtitle = subtitle_of(results),
         .x_label = "nonzeros",
         .y_label = fmt::format("products of {}", unit),
         .hollow = "",
         .reference = ""},
        "the results do not say what preparation takes");
}

Plot speedup_plot(const PaperResults& results, std::size_t competitor) {
    const std::string& name = results.contestants()[competitor].name;
    const auto configurations = results.of_first_operator(ContestantKind::configuration);
    std::vector<std::string> means;
    for (const auto i : configurations) {
        if (const auto pair = pair_speedup(results, i, competitor)) {
            means.push_back(fmt::format("{} {:.2f}\u00d7 {}/{}", results.contestants()[i].name, pair->mean, pair->wins,
                                        pair->matrices));
        }
    }
    return scatter(fmt::format("speedup-{}", file_name_of(name)),
                   over_nonzeros(results, configurations,
                                 [&](const PaperMatrix& m, std::size_t i) {
                                     return speedup(results, m, i, competitor).value_or(0);
                                 }),
                   {.x_unit = "", .y_unit = "\u00d7"},
                   {.title = fmt::format("Speed-up over {}: {}, warm", name, setting_text(results)),
                    .subtitle = fmt::format("geometric mean and wins: {}", fmt::join(means, ", ")),
                    .x_label = "nonzeros",
                    .y_label = "speed-up",
                    .hollow = "",
                    .reference = name},
                   fmt::format("no matrix has right results of {} and a configuration", name));
}

}  // namespace

std::vector<Plot> paper_plots(const PaperResults& results) {
    std::vector<Plot> plots{speed_plot(results),
                            configurations_plot(results),
                            formats_plot(results),
                            shares_plot(results, ShareOf::tiles),
                            shares_plot(results, ShareOf::nonzeros),
                            storage_plot(results),
                            preparation_plot(results)};
    for (const auto competitor : results.of_kind(ContestantKind::competitor)) {
        plots.push_back(speedup_plot(results, competitor));
    }
    return plots;
}

}  // namespace tilespmv::tools
