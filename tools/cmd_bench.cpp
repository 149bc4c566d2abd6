#include <algorithm>
#include <cstdio>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <omp.h>

#include "bench/harness/cpu_device.hpp"
#include "bench/harness/experiment.hpp"
#include "bench/harness/machine.hpp"
#include "bench/harness/result_file.hpp"
#include "bench/harness/suite.hpp"
#include "selector/policy.hpp"
#include "tile/error.hpp"
#include "tile/output_file.hpp"
#include "tools/bench_report.hpp"
#include "tools/command.hpp"
#include "tools/options.hpp"
#include "tools/source.hpp"
#include "tools/status_line.hpp"
#include "tools/value_type.hpp"

namespace tilespmv::tools {
namespace {

struct BenchOptions {
    std::vector<std::string> sources;
    std::string suite;
    std::vector<std::string> operators;
    std::vector<std::string> selectors;
    std::vector<std::string> values;
    std::vector<std::string> baselines{"csr-omp"};
    std::optional<double> min_seconds;
    std::optional<double> max_seconds;
    std::optional<double> noise_percent;
    bool quick = false;
    bool restart = false;
    std::string json;
    std::string csv;
};

void expand_suite(BenchOptions& options) {
    if (!options.suite.empty()) {
        const bench::Suite& suite = bench::find_suite(options.suite);
        options.sources.insert(options.sources.end(), suite.sources.begin(), suite.sources.end());
        if (options.operators.empty()) options.operators.assign(suite.operators.begin(), suite.operators.end());
        if (options.selectors.empty()) options.selectors.assign(suite.selectors.begin(), suite.selectors.end());
    }
    if (options.sources.empty()) throw Error("no matrix; give one, or a suite with --suite", ExitCode::usage);
    if (options.selectors.empty()) options.selectors.emplace_back(kDefaultSelector);
}

bench::MeasureOptions measure_options(const BenchOptions& options) {
    bench::MeasureOptions m;
    if (options.quick) {
        m.warm = {.min_samples = 6, .max_samples = 500, .min_seconds = 0.05, .max_seconds = 0.5, .noise = 0.05};
        m.cold.max_seconds = m.preprocess.max_seconds = 0.5;
    }
    if (options.min_seconds) m.warm.min_seconds = *options.min_seconds;
    if (options.max_seconds) m.warm.max_seconds = *options.max_seconds;
    if (options.noise_percent) m.warm.noise = *options.noise_percent / 100;
    m.baselines = options.baselines;
    return m;
}

// The baselines take part even if they are not asked for: without them there is no speed-up to give.
template <Value V>
std::vector<bench::Candidate<V>> candidates(const BenchOptions& options) {
    std::vector<std::string> names = options.operators;
    for (const auto& info : operators<V>()) {
        if (options.operators.empty() && info.name != "reference") names.emplace_back(info.name);
    }
    for (const auto& name : options.baselines) {
        if (std::ranges::find(names, name) == names.end()) names.insert(names.begin(), name);
    }
    std::vector<bench::Candidate<V>> all;
    for (const auto& name : names) {
        const OperatorInfo<V>& info = find_operator<V>(name);
        if (!info.needs_tiles) all.push_back({.info = &info, .selector = ""});
        for (const auto& selector : options.selectors) {
            if (info.needs_tiles) all.push_back({.info = &info, .selector = selector});
        }
    }
    return all;
}

class BenchRun {
public:
    explicit BenchRun(const BenchOptions& options)
        : options_(options), measure_(measure_options(options)), set_(start()) {}

    void run() {
        for (const auto& source : options_.sources) {
            for (const auto& values : value_types(source)) {
                with_value_type(values, [&]<Value V>() { run_matrix<V>(source); });
            }
        }
        finish();
    }

private:
    [[nodiscard]] bool to_stdout() const { return options_.json == "-" || options_.csv == "-"; }

    bench::ResultSet start() const {
        const auto machine = bench::this_machine();
        const auto build = bench::this_build();
        if (options_.json.empty() || options_.json == "-" || options_.restart) return {machine, build, {}};
        return bench::resume_results(options_.json, machine, build);
    }

    std::vector<std::string> value_types(const std::string& source) const {
        return options_.values.empty() ? std::vector{value_type_for(source, "")} : options_.values;
    }

    template <Value V>
    void run_matrix(const std::string& source) {
        const auto wanted = candidates<V>(options_);
        std::vector<bench::CaseId> ids;
        for (const auto& candidate : wanted) ids.push_back(bench::case_id(source, candidate, device_));
        measure_unfinished<V>(source, wanted, ids);
        std::vector<bench::Result> results;
        for (const auto& id : ids) results.push_back(*set_.find(id));
        shown_.insert(shown_.end(), results.begin(), results.end());
        status_.wipe();
        if (to_stdout()) return;
        fmt::print("{}\n", results_text(results, options_.baselines));
        std::fflush(stdout);
    }

    // Finished cases are kept; baselines run again beside the others, for the speed-ups.
    template <Value V>
    void measure_unfinished(const std::string& source, const std::vector<bench::Candidate<V>>& wanted,
                            const std::vector<bench::CaseId>& ids) {
        if (std::ranges::all_of(ids, [&](const auto& id) { return set_.finished(id); })) return;
        bench::Experiment<V> experiment{source, [&] { return load_csr<V>(source); }, {}};
        for (std::size_t i = 0; i < ids.size(); ++i) {
            const bool baseline = std::ranges::count(options_.baselines, ids[i].operator_name) > 0;
            if (baseline || !set_.finished(ids[i])) experiment.candidates.push_back(wanted[i]);
        }
        measure_.progress = [&](std::string_view stage) {
            status_.show(fmt::format("{}: {}", source_name(source), stage));
        };
        for (auto& result : bench::measure(experiment, measure_, device_)) {
            if (!set_.finished(result.id)) set_.put(std::move(result));
        }
        if (!options_.json.empty() && options_.json != "-") write_results(options_.json, set_);
    }

    void finish() const {
        if (!options_.csv.empty()) {
            OutputFile out(options_.csv == "-" ? "/dev/stdout" : options_.csv);
            out.write(results_csv(shown_, options_.baselines));
            out.commit();
        }
        if (options_.json == "-") write_results("/dev/stdout", set_);
        if (!to_stdout()) print_end();
        throw_unless_right();
    }

    void print_end() const {
        for (const auto& baseline : options_.baselines) {
            const std::string summary = summary_text(shown_, baseline);
            if (!summary.empty()) fmt::print("{}\n", summary);
        }
        fmt::print("{}", legend_text(shown_));
        print_machine();
    }

    void print_machine() const {
        const auto ok = std::ranges::find(shown_, bench::Status::ok, &bench::Result::status);
        if (ok == shown_.end()) return;
        fmt::print("{}, {} cores; memory bandwidth: read {:.1f}, copy {:.1f}, triad {:.1f} GB/s\n", set_.machine.cpu,
                   set_.machine.cores, ok->bandwidth.read * 1e-9, ok->bandwidth.copy * 1e-9,
                   ok->bandwidth.triad * 1e-9);
    }

    void throw_unless_right() const {
        const auto wrong = std::ranges::count(shown_, bench::Status::wrong, &bench::Result::status);
        const auto failed = std::ranges::count(shown_, bench::Status::failed, &bench::Result::status);
        if (wrong > 0) {
            throw Error(fmt::format("{} of {} cases gave a wrong result", wrong, shown_.size()),
                        ExitCode::verification);
        }
        if (failed > 0) throw Error(fmt::format("{} of {} cases failed", failed, shown_.size()));
    }

    const BenchOptions& options_;
    bench::MeasureOptions measure_;
    bench::ResultSet set_;
    bench::CpuDevice device_;
    StatusLine status_;
    std::vector<bench::Result> shown_;  // of this call, finished before or not
};

void run(BenchOptions& options) {
    expand_suite(options);
    for (const auto& selector : options.selectors) make_policy(selector);
    candidates<double>(options);  // refuses wrong names before anything is measured
    if (bench::this_build().type == "Debug") fmt::print(stderr, "tilespmv: warning: times of a Debug build\n");
    BenchRun(options).run();
}

std::string suite_help() {
    std::string help = "Measure a named set of matrices:";
    for (const auto& suite : bench::suites()) help += fmt::format(" {} ({})", suite.name, suite.summary);
    return help;
}

void add_sampling_options(CLI::App& command, BenchOptions& options) {
    command.add_option("--min-time", options.min_seconds, "Sample every operator for so many seconds (default: 0.3)")
        ->check(CLI::PositiveNumber);
    command.add_option("--max-time", options.max_seconds, "... but no longer than so many (default: 5)")
        ->check(CLI::PositiveNumber);
    command
        .add_option("--noise", options.noise_percent,
                    "Stop when the median is known so well: half its 95% interval in percent (default: 2)")
        ->check(CLI::PositiveNumber);
    command.add_flag("--quick", options.quick, "Sample less: times are noisier");
}

}  // namespace

void add_bench(CLI::App& app) {
    auto options = std::make_shared<BenchOptions>();
    auto* command = app.add_subcommand(
        "bench", "Measure how fast operators multiply matrices; a wrong result is reported as wrong, never as a time");
    command->add_option("A", options->sources,
                        "Matrices: .mtx (plain, .gz, .xz), SuiteSparse .tar.gz, .tsp archive, or gen:KIND[:n=...]");
    command->add_option("--suite", options->suite, suite_help());
    command
        ->add_option("--operator", options->operators,
                     "Operator to measure (default: all but the oracle); may be repeated")
        ->allow_extra_args(false);
    add_selectors(*command, options->selectors);
    command
        ->add_option("--values", options->values,
                     "Value type (default: float64, or that of an archive); may be repeated")
        ->allow_extra_args(false)
        ->check(CLI::IsMember({std::string(value_name<double>()), std::string(value_name<float>())}));
    command
        ->add_option("--baseline", options->baselines,
                     "Operator that speed-ups are given over (default: csr-omp); may be repeated")
        ->allow_extra_args(false);
    add_sampling_options(*command, *options);
    command->add_option(
        "--json", options->json,
        "Keep results, raw times included, in this file, and go on with those it holds (- for standard output)");
    command->add_flag("--restart", options->restart, "Replace the file of --json instead of going on with it");
    command->add_option("--csv", options->csv, "Write a row per case to this file (- for standard output)");
    add_device(*command);
    set_examples(*command,
                 {"tilespmv bench cant.mtx.gz gen:stencil27:n=96 --json results.json",
                  "tilespmv bench cant.mtx.gz --operator tile-omp --selector paper --selector bytes --threads 4",
                  "tilespmv bench --suite cpu-classes --json classes.json --csv classes.csv"});
    command->callback([options] { run(*options); });
}

}  // namespace tilespmv::tools
