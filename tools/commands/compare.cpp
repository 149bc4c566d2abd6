#include <algorithm>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include "bench/harness/compare.hpp"
#include "bench/harness/result_file.hpp"
#include "tile/error.hpp"
#include "tile/io/printable.hpp"
#include "tools/bench/measuring_options.hpp"
#include "tools/bench/report.hpp"
#include "tools/commands/command.hpp"
#include "tools/options/command_files.hpp"
#include "tools/options/number_option.hpp"
#include "tools/options/options.hpp"

namespace tilespmv::tools {
namespace {

constexpr std::string_view kNoWitness = "none";

struct CompareOptions {
    std::string first;
    std::string second;
    std::vector<std::string> more_first;
    std::vector<std::string> more_second;
    std::vector<std::string> witnesses;
    double effect_percent = 5;
    std::string mode{bench::mode_name(bench::Mode::warm)};
};

/// A run that is given twice would count as two that are the same.
void require_different(const std::vector<std::string>& files) {
    for (std::size_t i = 0; i < files.size(); ++i) {
        for (std::size_t k = 0; k < i; ++k) {
            std::error_code unknown;
            if (!std::filesystem::equivalent(files[i], files[k], unknown)) continue;
            throw Error(fmt::format("{}: given twice on one side; give each run once", files[i]), ExitCode::usage);
        }
    }
}

/// The files of a side, and what they hold.
struct Side {
    std::vector<std::string> files;
    std::vector<bench::ResultSet> sets;
};

Side read_side(const std::string& file, const std::vector<std::string>& more) {
    Side side{{file}, {}};
    side.files.insert(side.files.end(), more.begin(), more.end());
    require_different(side.files);
    for (const auto& one : side.files) side.sets.push_back(bench::read_results(one));
    return side;
}

void print_side(const char* name, const Side& side) {
    for (std::size_t i = 0; i < side.files.size(); ++i) {
        const bench::Build& build = side.sets[i].build;
        fmt::print("{:<7} {} (revision {}, {})\n", name, printable(side.files[i]), build.revision, build.compiler);
    }
}

void warn_of_machines(const bench::Machine& machine, const std::vector<bench::ResultSet>& sets) {
    const auto other = std::ranges::find_if(sets, [&](const auto& set) { return set.machine != machine; });
    if (other == sets.end()) return;
    fmt::print(stderr, "tilespmv: warning: measured on different machines ({}; {})\n", describe(machine),
               describe(other->machine));
}

void run(const CompareOptions& options) {
    bench::CompareRules rules{.smallest_effect = options.effect_percent / 100,
                              .mode = bench::find_mode(options.mode),
                              .witnesses = options.witnesses};
    const Side first = read_side(options.first, options.more_first);
    const Side second = read_side(options.second, options.more_second);
    for (const Side* side : {&first, &second}) warn_of_machines(first.sets.front().machine, side->sets);
    if (rules.witnesses.empty()) rules.witnesses = common_baselines(first.sets, second.sets);
    if (options.witnesses == std::vector<std::string>{std::string(kNoWitness)}) rules.witnesses.clear();
    print_side("first:", first);
    print_side("second:", second);
    fmt::print("{}", comparison_text(bench::compare(first.sets, second.sets, rules), rules.witnesses));
}

}  // namespace

void add_compare(CLI::App& app) {
    auto options = std::make_shared<CompareOptions>();
    auto* command = app.add_subcommand(
        "compare", "Say of every case of two result files whether the second is faster, slower, the same or unclear");
    add_input(*command, "FIRST", options->first, "Result file of `tilespmv bench --json`")->required();
    add_input(*command, "SECOND", options->second, "Another one")->required();
    add_input(*command, "--first", options->more_first,
              "A further run of the first; may be repeated. With several runs a side the interval is that of how much "
              "they differ")
        ->allow_extra_args(false);
    add_input(*command, "--second", options->more_second, "A further run of the second; may be repeated")
        ->allow_extra_args(false);
    command
        ->add_option("--witness", options->witnesses,
                     "Operator that has not changed, or the beginning of its name; with one run a side a verdict is "
                     "unclear unless the time over that of the witness says the same (default: the baselines of both; "
                     "none: nothing but the noise within a run is known); may be repeated")
        ->allow_extra_args(false);
    add_number(*command, "--effect", options->effect_percent, 1e-3, 1e3, "Smallest difference of interest, in percent")
        ->default_str("5");
    add_mode(*command, options->mode, "Times that are compared");
    set_examples(*command,
                 {"tilespmv compare before.json after.json", "tilespmv compare before.json after.json --effect 2",
                  "tilespmv compare before1.json after1.json --first before2.json --second after2.json",
                  "tilespmv compare before.json after.json --mode graph"});
    command->callback([options] { run(*options); });
}

}  // namespace tilespmv::tools
