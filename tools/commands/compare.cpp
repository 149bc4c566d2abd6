#include <memory>
#include <string>

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include "bench/harness/compare.hpp"
#include "bench/harness/result_file.hpp"
#include "tile/io/printable.hpp"
#include "tools/bench/measuring_options.hpp"
#include "tools/bench/report.hpp"
#include "tools/commands/command.hpp"
#include "tools/options/command_files.hpp"
#include "tools/options/number_option.hpp"
#include "tools/options/options.hpp"

namespace tilespmv::tools {
namespace {

struct CompareOptions {
    std::string first;
    std::string second;
    double effect_percent = 5;
    std::string mode{bench::mode_name(bench::Mode::warm)};
};

void run(const CompareOptions& options) {
    const bench::Mode mode = bench::find_mode(options.mode);
    const auto first = bench::read_results(options.first);
    const auto second = bench::read_results(options.second);
    if (first.machine != second.machine) {
        fmt::print(stderr, "tilespmv: warning: measured on different machines ({}; {})\n", describe(first.machine),
                   describe(second.machine));
    }
    fmt::print("first:  {} (revision {}, {})\nsecond: {} (revision {}, {})\n", printable(options.first),
               first.build.revision, first.build.compiler, printable(options.second), second.build.revision,
               second.build.compiler);
    fmt::print("{}", comparison_text(bench::compare(first, second, options.effect_percent / 100, mode)));
}

}  // namespace

void add_compare(CLI::App& app) {
    auto options = std::make_shared<CompareOptions>();
    auto* command = app.add_subcommand(
        "compare", "Say of every case of two result files whether the second is faster, slower, the same or unclear");
    add_input(*command, "FIRST", options->first, "Result file of `tilespmv bench --json`")->required();
    add_input(*command, "SECOND", options->second, "Another one")->required();
    add_number(*command, "--effect", options->effect_percent, 1e-3, 1e3, "Smallest difference of interest, in percent")
        ->default_str("5");
    add_mode(*command, options->mode, "Times that are compared");
    set_examples(*command,
                 {"tilespmv compare before.json after.json", "tilespmv compare before.json after.json --effect 2",
                  "tilespmv compare before.json after.json --mode graph"});
    command->callback([options] { run(*options); });
}

}  // namespace tilespmv::tools
