#include <algorithm>
#include <cstdio>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>
#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include "formats/convert.hpp"
#include "formats/list.hpp"
#include "selector/policy.hpp"
#include "tile/error.hpp"
#include "tools/commands/command.hpp"
#include "tools/options/command_files.hpp"
#include "tools/options/options.hpp"
#include "tools/options/source.hpp"
#include "tools/options/value_type.hpp"
#include "tools/stats/report.hpp"

namespace tilespmv::tools {
namespace {

struct StatsOptions {
    std::vector<std::string> sources;
    std::vector<std::string> selectors;
    std::string values;
    std::string json;
    std::string csv;
};

void check(const StatsOptions& options) {
    for (const auto& selector : options.selectors) make_policy(selector);
}

/// Adds what a tiled form of the matrix takes.
template <Value V>
void add_selector_statistics(const std::string& selector, const TileMatrix<V>& tiles, StatsReport& report) {
    report.selectors.push_back({selector, tiled_statistics(tiles, formats::format_table())});
}

/// Without selectors: tiles as an archive holds them, else by the default selector.
template <Value V>
StatsReport collect(const StatsOptions& options, const std::string& source) {
    StatsReport report{source_name(source), std::string(value_name<V>()), {}, {}};
    if (options.selectors.empty() && stored_form(source) == Form::tiles) {
        const auto tiles = load_tiles<V>(source, "");
        report.matrix = matrix_statistics(unpack(tiles));
        add_selector_statistics("as stored", tiles, report);
        return report;
    }
    const auto csr = load_csr<V>(source);
    report.matrix = matrix_statistics(csr);
    const std::vector<std::string> by_default{std::string(kDefaultSelector)};
    for (const auto& selector : options.selectors.empty() ? by_default : options.selectors) {
        add_selector_statistics(selector, convert(csr, *make_policy(selector)), report);
    }
    return report;
}

StatsReport collect(const StatsOptions& options, const std::string& source) {
    return with_value_type(value_type_for(source, options.values),
                           [&]<Value V>() { return collect<V>(options, source); });
}

/// A matrix that fails ends the command only if it is the only one, as a case of `bench` does.
std::vector<StatsReport> collect_all(const StatsOptions& options) {
    if (options.sources.size() == 1) return {collect(options, options.sources.front())};
    std::vector<StatsReport> reports;
    for (const auto& source : options.sources) {
        try {
            reports.push_back(collect(options, source));
        } catch (const std::exception& error) {
            reports.push_back({source_name(source), {}, {}, {}, error.what()});
        }
    }
    return reports;
}

/// Beside the published formats only those are shown that some tile has, so that all matrices have the same columns.
void drop_unused_formats(std::vector<StatsReport>& reports) {
    std::vector<std::string_view> shown;
    for (const auto& info : formats::published_formats()) shown.push_back(info.name);
    const auto for_each_list = [&](auto&& f) {
        for (auto& report : reports) {
            for (auto& selector : report.selectors) f(selector.tiled.formats);
        }
    };
    for_each_list([&](const auto& list) {
        for (const auto& format : list) {
            if (format.tiles > 0) shown.push_back(format.name);
        }
    });
    for_each_list([&](auto& list) {
        std::erase_if(list, [&](const auto& format) { return std::ranges::count(shown, format.name) == 0; });
    });
}

void run(const StatsOptions& options) {
    check(options);
    auto reports = collect_all(options);
    drop_unused_formats(reports);
    if (!options.json.empty()) write_text(options.json, to_json(reports).dump(2) + '\n');
    if (!options.csv.empty()) write_text(options.csv, to_csv(reports));
    if (options.json != kStdout && options.csv != kStdout) fmt::print("{}", to_text(reports));
    const auto failed = std::ranges::count_if(reports, [](const auto& report) { return !report.error.empty(); });
    if (failed > 0) throw Error(fmt::format("{} of {} matrices failed", failed, reports.size()));
}

}  // namespace

void add_stats(CLI::App& app) {
    auto options = std::make_shared<StatsOptions>();
    auto* command = app.add_subcommand(
        "stats", "Show what the tiles of a matrix look like and how much they take, or compare several matrices");
    add_sources(*command, options->sources)->required();
    add_selectors(*command, options->selectors);
    add_values(*command, options->values);
    add_output_or_stdout(*command, "--json", options->json,
                         "Write the statistics as JSON to this file; an array for several matrices");
    add_output_or_stdout(*command, "--csv", options->csv, "Write them as CSV, a row per matrix and selector");
    set_examples(*command, {"tilespmv stats cant.mtx.gz --selector paper-adaptive --selector bytes --csv cant.csv",
                            "tilespmv stats *.mtx.gz --selector paper-adaptive --selector paper-tuned",
                            "tilespmv stats gen:stencil27:n=64 --json - | jq .selectors[0].bytes_per_nnz"});
    command->callback([options] { run(*options); });
}

}  // namespace tilespmv::tools
