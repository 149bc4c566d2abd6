#include <algorithm>
#include <memory>
#include <string>

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include "tile/error.hpp"
#include "tools/bench/measuring_options.hpp"
#include "tools/commands/command.hpp"
#include "tools/options/command_files.hpp"
#include "tools/options/options.hpp"
#include "tools/plot/plot_files.hpp"
#include "tools/plot/plots.hpp"

namespace tilespmv::tools {
namespace {

struct PlotOptions {
    std::string results;
    std::string baseline;
    std::string mode{bench::mode_name(bench::Mode::warm)};
    PlotFiles pictures;
};

void run(const PlotOptions& options) {
    const auto set = bench::read_results(options.results);
    const auto plots = make_plots(set, options.baseline, bench::find_mode(options.mode));
    if (std::ranges::all_of(plots, [](const Plot& plot) { return !plot.picture; })) {
        throw Error(fmt::format("{}: holds no right result that could be drawn", options.results));
    }
    make_directory(options.pictures.directory);
    CommandFiles files;
    files.input("RESULTS", options.results);
    add_outputs(files, plots, options.pictures);
    write_plots(plots, options.pictures);
}

}  // namespace

void add_plot(CLI::App& app) {
    auto options = std::make_shared<PlotOptions>();
    auto* command = app.add_subcommand(
        "plot",
        "Draw results: speed-up and bandwidth over nonzeros, what was executed, speed-up over row variation, "
        "time by threads a row of csr-vector");
    add_input(*command, "RESULTS", options->results, "Result file of `tilespmv bench --json`")->required();
    add_output_folder(*command, "-o,--output", options->pictures.directory,
                      "Folder for the pictures, made if it is missing")
        ->required();
    command->add_option("--baseline", options->baseline,
                        "Baseline of the speed-ups (default: the first one in the results)");
    add_mode(*command, options->mode, "Times of the speed-ups");
    add_format(*command, options->pictures.format);
    set_examples(*command,
                 {"tilespmv plot results.json -o plots", "tilespmv plot results.json -o plots --baseline cusparse-csr",
                  "tilespmv plot results.json -o plots --format png"});
    command->callback([options] { run(*options); });
}

}  // namespace tilespmv::tools
