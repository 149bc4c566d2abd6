#include <filesystem>
#include <memory>
#include <optional>
#include <string>

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include "tile/error.hpp"
#include "tools/bench/measuring_options.hpp"
#include "tools/commands/command.hpp"
#include "tools/options/command_files.hpp"
#include "tools/options/options.hpp"
#include "tools/paper/plan.hpp"
#include "tools/paper/plots.hpp"
#include "tools/paper/report.hpp"
#include "tools/paper/results.hpp"
#include "tools/plot/plot_files.hpp"

namespace tilespmv::tools {
namespace {

struct PaperOptions {
    BenchOptions bench;
    std::string values;
    std::string device;
    std::string from;
    PlotFiles output;
};

constexpr const char* kResultsFile = "results.json";
constexpr const char* kTextFile = "tables.md";
constexpr const char* kCsvFile = "tables.csv";

CommandFiles files_of(const PaperOptions& options) {
    CommandFiles files;
    for (const auto& source : options.bench.sources) files.input("A", source);
    if (options.from.empty()) {
        files.output("--output", options.output.directory / kResultsFile);
    } else {
        files.input("--from", options.from);
    }
    for (const auto* name : {kTextFile, kCsvFile}) files.output("--output", options.output.directory / name);
    return files;
}

void report(const bench::ResultSet& set, const PaperResults::Choice& choice, const PaperOptions& options,
            CommandFiles& files) {
    const PaperResults results(set, choice);
    const auto plots = paper_plots(results);
    add_outputs(files, plots, options.output);
    if (const auto left_out = left_out_text(results); !left_out.empty()) {
        fmt::print(stderr, "tilespmv: left out: {}\n", left_out);
    }
    write_named(options.output.directory / kTextFile, paper_text(results));
    write_named(options.output.directory / kCsvFile, paper_csv(results));
    write_plots(plots, options.output);
    require_right(results);
}

void run(PaperOptions options) {
    PaperResults::Choice choice{.values = options.values, .backend = {}};
    std::optional<bench::ResultSet> set;
    if (!options.from.empty()) {
        set = bench::read_results(options.from);
        if (!options.device.empty()) choice.backend = options.device == "cpu" ? Backend::cpu : Backend::cuda;
    } else {
        choice.backend = choose_backend(options.device);
    }
    make_directory(options.output.directory);
    CommandFiles files = files_of(options);
    if (!set) {
        if (!options.values.empty()) options.bench.values = {options.values};
        options.bench.json = options.output.directory / kResultsFile;
        set = measure_cases(paper_plan(options.bench, *choice.backend), *make_device(*choice.backend));
    }
    report(*set, choice, options, files);
}

}  // namespace

void add_paper(CLI::App& app) {
    auto options = std::make_shared<PaperOptions>();
    auto* command = app.add_subcommand("paper",
                                       "Make the figures and tables of the TileSpMV paper (IPDPS 2021) for any "
                                       "matrices (default: the suite tilespmv)");
    auto* sources = add_sources(*command, options->bench.sources);
    auto* suite = add_suite(*command, options->bench.suite);
    add_output_folder(*command, "-o,--output", options->output.directory,
                      "Folder for tables and pictures, made if it is missing")
        ->required();
    command->add_option("--values", options->values, "Value type (default: float64)")
        ->check(CLI::IsMember(std::vector<std::string>(kValueNames.begin(), kValueNames.end())));
    add_format(*command, options->output.format);
    add_sampling_options(*command, options->bench);
    auto* restart = command->add_flag("--restart", options->bench.restart,
                                      "Replace results.json in the folder instead of going on with it");
    add_input(*command, "--from", options->from, "Measure nothing: take the results of `bench --json` or `paper`")
        ->excludes(sources)
        ->excludes(suite)
        ->excludes(restart);
    add_device(*command, options->device, "cuda if there is a GPU, else cpu");
    set_examples(*command, {"tilespmv paper -o paper", "tilespmv paper *.mtx.gz -o paper --quick --max-time 0.3",
                            "tilespmv paper --from paper/results.json -o again --format png"});
    command->callback([options] { run(*options); });
}

}  // namespace tilespmv::tools
