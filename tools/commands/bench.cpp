#include <memory>
#include <string>

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include "bench/harness/mode.hpp"
#include "bench/harness/suite.hpp"
#include "tile/types.hpp"
#include "tools/bench/run.hpp"
#include "tools/commands/command.hpp"
#include "tools/options/command_files.hpp"
#include "tools/options/number_option.hpp"
#include "tools/options/operator_list.hpp"
#include "tools/options/options.hpp"
#include "tools/options/vectors_option.hpp"

namespace tilespmv::tools {
namespace {

std::string suite_help() {
    std::string help = "Measure a named set of matrices, beside those given";
    for (const auto& suite : bench::suites()) help += fmt::format("\n  {}: {}", suite.name, suite.summary);
    return help;
}

void add_modes(CLI::App& command, std::vector<std::string>& modes) {
    command
        .add_option(
            "--mode", modes,
            "How products follow each other, separated by commas (default: warm,cold; warm is always measured): "
            "cold: single ones; graph: dependent ones in a CUDA graph; chain: the same as launches; axpy: each "
            "after a kernel that writes x")
        ->delimiter(',')
        ->allow_extra_args(false)
        ->check(CLI::IsMember(std::vector<std::string>(bench::kModeNames.begin(), bench::kModeNames.end())));
}

void add_columns(CLI::App& command, std::vector<int>& columns) {
    command
        .add_option("--columns", columns, "Multiply so many vectors at once, K[,K...]; a case for each (default: 1)")
        ->delimiter(',')
        ->allow_extra_args(false)
        ->check(CLI::Range(1, kMostColumns));
}

/// How long and how well.
void add_sampling_options(CLI::App& command, BenchOptions& options) {
    constexpr double shortest = 1e-9, longest = 1e6, least = 1e-3, most = 1e3;
    add_number(command, "--min-time", options.min_seconds, shortest, longest,
               "Sample every operator for so many seconds (default: 0.3)");
    add_number(command, "--max-time", options.max_seconds, shortest, longest,
               "... but no longer than so many (default: 5; cold products 3, preprocessing 1)");
    add_number(command, "--noise", options.noise_percent, least, most,
               "Stop when the median is known so well: half its 95% interval in percent (default: 2)");
    command
        .add_option_function<std::string>(
            "--pattern-values",
            [&options](const std::string& name) {
                options.pattern_values =
                    name == pattern_values_name(PatternValues::ones) ? PatternValues::ones : PatternValues::random;
            },
            "Values of files that have none: random, the same on every machine, or ones (default: random)")
        ->check(CLI::IsMember(std::vector<std::string>(kPatternValueNames.begin(), kPatternValueNames.end())));
    command.add_flag("--quick", options.quick, "Sample less: times are noisier");
}

}  // namespace

void add_bench(CLI::App& app) {
    auto options = std::make_shared<BenchOptions>();
    auto device_name = std::make_shared<std::string>();
    auto* command = app.add_subcommand(
        "bench", "Measure how fast operators multiply matrices; a wrong result is reported as wrong, never as a time");
    add_sources(*command, options->sources);
    command->add_option("--suite", options->suite, suite_help());
    add_operators(*command, options->operators,
                  "Operator to measure, name[:option=value,...] (default: all but the oracle); `option=all` stands for "
                  "every value that the operator names");
    add_selectors(*command, options->selectors);
    command
        ->add_option("--values", options->values,
                     "Value type (default: float64, or that of an archive); may be repeated")
        ->allow_extra_args(false)
        ->check(CLI::IsMember(std::vector<std::string>(kValueNames.begin(), kValueNames.end())));
    command
        ->add_option(
            "--baseline", options->baselines,
            "What speed-ups are given over: an operator, or the fastest of those whose names begin so (default: "
            "csr-omp; on the GPU cusparse, the best of its formats, and cusparse-csr); may be repeated")
        ->allow_extra_args(false);
    add_modes(*command, options->modes);
    add_columns(*command, options->columns);
    add_layout(*command, options->layout);
    add_transpose(*command, options->is_transposed);
    command->add_flag(
        "--from-gpu", options->is_from_gpu,
        "Prepare operators from CSR in the memory of the GPU, as a program has it that assembles one there");
    add_sampling_options(*command, *options);
    add_output_or_stdout(*command, "--json", options->json,
                         "Keep results, raw times included, in this file, and go on with those it holds");
    command->add_flag("--restart", options->restart, "Replace the file of --json instead of going on with it");
    add_output_or_stdout(*command, "--csv", options->csv, "Write a row per case to this file");
    add_accumulator(*command, options->accumulator);
    add_device(*command, *device_name, "cuda if there is a GPU, else cpu");
    set_examples(*command, {"tilespmv bench cant.mtx.gz gen:stencil27:n=96 --json results.json",
                            "tilespmv bench cant.mtx.gz --device cpu --operator tile-omp --selector paper --threads 4",
                            "tilespmv bench cant.mtx.gz --operator csr-vector:threads=all --baseline cusparse-csr",
                            "tilespmv bench cant.mtx.gz --mode graph,chain,axpy",
                            "tilespmv bench cant.mtx.gz --operator csr-omp --columns 1,2,4,8,32 --layout row",
                            "tilespmv bench --suite gpu-classes *.mtx.gz --json classes.json --csv classes.csv"});
    command->callback([options, device_name] { run_bench(*options, *make_device(choose_backend(*device_name))); });
}

}  // namespace tilespmv::tools
