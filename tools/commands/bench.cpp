#include <memory>
#include <string>

#include <CLI/CLI.hpp>

#include "tile/types.hpp"
#include "tools/bench/measuring_options.hpp"
#include "tools/bench/run.hpp"
#include "tools/commands/command.hpp"
#include "tools/options/command_files.hpp"
#include "tools/options/operator_list.hpp"
#include "tools/options/options.hpp"
#include "tools/options/vectors_option.hpp"

namespace tilespmv::tools {
namespace {

void add_threads_per_vector(CLI::App& command, std::vector<std::string>& operators) {
    command
        .add_option_function<std::string>(
            "--threads-per-vector",
            [&operators](const std::string& threads) { operators.push_back("csr-vector:threads=" + threads); },
            "Measure csr-vector with so many threads a row, on the GPU: short for --operator csr-vector:threads=N")
        ->check(CLI::IsMember({"all", "2", "4", "8", "16", "32"}));
}

void add_columns(CLI::App& command, std::vector<int>& columns) {
    command
        .add_option("--columns", columns, "Multiply so many vectors at once, K[,K...]; a case for each (default: 1)")
        ->delimiter(',')
        ->allow_extra_args(false)
        ->check(CLI::Range(1, kMostColumns));
}

}  // namespace

void add_bench(CLI::App& app) {
    auto options = std::make_shared<BenchOptions>();
    auto device_name = std::make_shared<std::string>();
    auto* command = app.add_subcommand(
        "bench", "Measure how fast operators multiply matrices; a wrong result is reported as wrong, never as a time");
    add_sources(*command, options->sources);
    add_suite(*command, options->suite);
    add_operators(*command, options->operators,
                  "Operator to measure, name[:option=value,...] (default: all but the oracle); `option=all` stands for "
                  "every value that the operator names");
    add_threads_per_vector(*command, options->operators);
    add_selectors(*command, options->selectors);
    command
        ->add_option("--values", options->values,
                     "Value type (default: float64, or that of an archive); may be repeated")
        ->allow_extra_args(false)
        ->check(CLI::IsMember(std::vector<std::string>(kValueNames.begin(), kValueNames.end())));
    add_operator(*command, "--baseline", options->baselines,
                 "What speed-ups are given over: an operator, or the fastest of those whose names begin so (default: "
                 "csr-omp; on the GPU cusparse, the best of its formats, and cusparse-csr); may be repeated")
        ->allow_extra_args(false);
    add_modes(*command, options->modes);
    add_columns(*command, options->columns);
    add_layout(*command, options->layout);
    add_transpose(*command, options->is_transposed);
    add_sampling_options(*command, *options);
    add_output_or_stdout(*command, "--json", options->json,
                         "Keep results, raw times included, in this file, and go on with those it holds");
    command->add_flag("--restart", options->restart, "Replace the file of --json instead of going on with it");
    add_output_or_stdout(*command, "--csv", options->csv, "Write a row per case to this file");
    add_accumulator(*command, options->accumulator);
    add_device(*command, *device_name, "cuda if there is a GPU, else cpu");
    set_examples(*command, {"tilespmv bench cant.mtx.gz gen:stencil27:n=96 --json results.json",
                            "tilespmv bench cant.mtx.gz --device cpu --operator tile-omp --selector paper --threads 4",
                            "tilespmv bench cant.mtx.gz --threads-per-vector all --baseline cusparse-csr",
                            "tilespmv bench cant.mtx.gz --mode graph,chain,axpy",
                            "tilespmv bench cant.mtx.gz --operator csr-omp --columns 1,2,4,8,32 --layout row",
                            "tilespmv bench --suite gpu-classes *.mtx.gz --json classes.json --csv classes.csv"});
    command->callback([options, device_name] { run_bench(*options, *make_device(choose_backend(*device_name))); });
}

}  // namespace tilespmv::tools
