/// Solves systems in every way and compares them, all in one run:
///
///     solver_benchmark [system...] [--suite NAME] [--json FILE] [--preconditioner M] [--all-preconditioners] ...
///
/// A system is a generator specification (`laplace2d:n=300`) or a Matrix Market file; without any those of a suite
/// (`solver_suite.hpp`). For each: a line a way to solve it, textbook PCG on the CPU among them, and how often the
/// default of ours fits into the time of the others; with --all-preconditioners a line for each of them. At the end the
/// geometric means.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <iterator>
#include <map>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include "bench/harness/machine.hpp"
#include "bench/program.hpp"
#include "bench/solver_contest.hpp"
#include "bench/solver_suite.hpp"
#include "kernels/solver/choose_preconditioner.hpp"
#include "kernels/solver/preconditioner/preconditioner.hpp"
#include "tile/error.hpp"
#include "tile/generate/generate.hpp"
#include "tile/io/output_file.hpp"

namespace {

using namespace tilespmv;
using namespace tilespmv::bench;

nlohmann::json to_json(const SolverTiming& t) {
    if (!t.error.empty()) return {{"name", t.name}, {"error", t.error}};
    return {{"name", t.name},
            {"how", t.how},
            {"iterations", t.iterations},
            {"converged", t.converged},
            {"end", t.end},
            {"seconds", t.seconds},
            {"seconds_per_iteration", t.seconds_per_iteration},
            {"residual", t.residual},
            {"setup_seconds", t.setup_seconds},
            {"seconds_with_setup", t.seconds + t.setup_seconds},
            {"extrapolated", t.is_extrapolated}};
}

/// Whether its time is one to the tolerance.
bool reaches_the_end(const SolverTiming& t) { return t.error.empty() && (t.converged || t.is_extrapolated); }

std::string failure_of(const SolverTiming& t) {
    if (reaches_the_end(t)) return "";
    return t.end.empty() ? " NOT CONVERGED" : fmt::format(" NOT CONVERGED: {}", t.end);
}

void print(const SolverTiming& t, double of_default) {
    if (!t.error.empty()) return fmt::print("  {:<30} {}\n", t.name, t.error);
    const std::string ratio = of_default > 0 ? fmt::format("{:.2f} x", t.seconds / of_default) : "";
    fmt::print("  {:<30} {:>6} it {:>10.3f} us/it {:>11.3f} ms {:>9}  {:.1e}{}{}  {}\n", t.name, t.iterations,
               t.seconds_per_iteration * 1e6, t.seconds * 1e3, ratio, t.residual, failure_of(t),
               t.is_extrapolated ? " extrapolated" : "", t.how);
}

void print_preconditioner(const SolverTiming& t) {
    if (!t.error.empty()) return fmt::print("  {:<30} {}\n", t.name, t.error);
    fmt::print("  {:<30} {:>6} it {:>11.3f} ms {:>11.3f} ms with setup  {:.1e}{}  {}\n", t.name, t.iterations,
               t.seconds * 1e3, (t.seconds + t.setup_seconds) * 1e3, t.residual, failure_of(t), t.how);
}

/// Ratios of the times of a way to those of the default, over all systems where both were measured.
using Ratios = std::map<std::string, std::vector<double>>;

/// What is asked of all systems, and what they came to.
struct Benchmark {
    ContestOptions options;
    bool with_preconditioners = false;
    Ratios ratios;
};

nlohmann::json run_ways(const CsrMatrix<double>& a, const std::string& name, Benchmark& all) {
    nlohmann::json json{{"system", name}, {"unknowns", a.rows}, {"nonzeros", a.nnz()}};
    const auto timings = solver_contest(a, all.options);
    const SolverTiming& ours = timings.front();
    for (const auto& t : timings) {
        print(t, ours.seconds);
        json["results"].push_back(to_json(t));
        if (reaches_the_end(t) && reaches_the_end(ours)) all.ratios[t.name].push_back(t.seconds / ours.seconds);
    }
    return json;
}

nlohmann::json run_preconditioners(const CsrMatrix<double>& a, const ContestOptions& options) {
    nlohmann::json json = nlohmann::json::array();
    for (const auto& t : preconditioner_contest(a, options)) {
        print_preconditioner(t);
        json.push_back(to_json(t));
    }
    return json;
}

nlohmann::json run_system(const std::string& name, Benchmark& all) {
    const auto a = read_source<double>(name);
    fmt::print("{}: {} unknowns, {} nonzeros\n", name, a.rows, a.nnz());
    auto json = run_ways(a, name, all);
    if (all.with_preconditioners) json["preconditioners"] = run_preconditioners(a, all.options);
    std::fflush(stdout);
    return json;
}

nlohmann::json run_or_tell(const std::string& name, Benchmark& all) {
    try {
        return run_system(name, all);
    } catch (const tilespmv::Error& error) {
        fmt::print("{}: {}\n", name, error.what());
        return {{"system", name}, {"error", error.what()}};
    }
}

void print_means(const Ratios& ratios) {
    fmt::print("geometric means of the times, default = 1\n");
    for (const auto& [name, all] : ratios) {
        double logs = 0;
        for (const double ratio : all) logs += std::log(ratio);
        fmt::print("  {:<30} {:>7.2f} x over {} systems, least {:.2f}\n", name,
                   std::exp(logs / static_cast<double>(all.size())), all.size(), *std::ranges::min_element(all));
    }
}

/// What is solved.
struct Systems {
    std::vector<std::string> named{};
    std::string suite{};
    std::string folder = ".";
};

void add_systems(CLI::App& app, Systems& systems) {
    std::string help = "Solve a named set of systems, beside those given; without any the first of";
    for (const SolverSuite& suite : solver_suites()) help += fmt::format("\n  {}: {}", suite.name, suite.summary);
    app.add_option("systems", systems.named, "generator specifications or Matrix Market files");
    app.add_option("--suite", systems.suite, help);
    app.add_option("--matrices", systems.folder, "where the files of a suite are")->capture_default_str();
}

/// All systems in order. A suite says on how many GPUs, if nobody does.
std::vector<std::string> all_of(const Systems& systems, bool is_gpus_given, ContestOptions& options) {
    std::vector<std::string> all = systems.named;
    if (!all.empty() && systems.suite.empty()) return all;
    const auto& suite = systems.suite.empty() ? solver_suites().front() : find_solver_suite(systems.suite);
    std::ranges::copy(systems_of(suite, systems.folder), std::back_inserter(all));
    if (!is_gpus_given) options.gpus = suite.gpus;
    return all;
}

void add_options(CLI::App& app, ContestOptions& options) {
    app.add_option("--preconditioner", options.preconditioner, "of ours")->capture_default_str();
    app.add_option("--operator", options.operator_name, "of ours")->capture_default_str();
    app.add_option("--rtol", options.rtol, "||b - A x|| / ||b||")->capture_default_str();
    app.add_option("--check-every", options.check_every, "iterations on the GPU")->capture_default_str();
    app.add_option("--max-iterations", options.max_iterations)->capture_default_str();
    app.add_option("--seconds", options.seconds, "for each way of ours")->capture_default_str();
    app.add_option("--cpu-seconds", options.cpu_seconds, "for each way on the CPU")->capture_default_str();
    app.add_option("--gpus", options.gpus, "so many GPUs beside one")->capture_default_str();
    const auto leave_out = [&](const char* flag, bool& what, const char* help) {
        app.add_flag_callback(
            flag, [&what] { what = false; }, help);
    };
    leave_out("--no-cpu", options.with_cpu, "leave times of the CPU out");
    leave_out("--no-reference", options.with_reference, "leave the iterations of textbook PCG on the CPU out");
    leave_out("--no-methods", options.with_methods, "leave the recurrences and the library out");
    app.add_flag_callback(
        "--on-cpu", [&] { options.backend = Backend::cpu; }, "ours on the CPU, where no GPU is");
}

void write_json(const std::string& name, const nlohmann::json& json) {
    OutputFile file(name);
    file.write(json.dump(2) + "\n");
    file.commit();
}

nlohmann::json describe_run(const ContestOptions& options) {
    return {{"machine", describe(this_machine())},      {"rtol", options.rtol}, {"check_every", options.check_every},
            {"preconditioner", options.preconditioner}, {"gpus", options.gpus}, {"systems", nlohmann::json::array()}};
}

/// Throws the usage `Error` of a preconditioner that is not there before systems are made.
void check_preconditioner(const std::string& specification) {
    if (specification == solver::kAutoPreconditioner) return;
    static_cast<void>(solver::make_preconditioner(specification, generate<double>("laplace2d:n=4")));
}

int run(const CLI::App& app, const Systems& systems, const std::string& json_file, Benchmark& all) {
    check_preconditioner(all.options.preconditioner);
    const auto names = all_of(systems, app.count("--gpus") > 0, all.options);
    auto json = describe_run(all.options);
    for (const auto& name : names) json["systems"].push_back(run_or_tell(name, all));
    print_means(all.ratios);
    if (!json_file.empty()) write_json(json_file, json);
    return 0;
}

}  // namespace

int main(int argc, char** argv) {
    CLI::App app("Solves systems in every way and compares them");
    Systems systems;
    std::string json_file;
    Benchmark all;
    add_systems(app, systems);
    app.add_option("--json", json_file, "results as JSON go there");
    app.add_flag("--all-preconditioners", all.with_preconditioners, "also a solve with each of them");
    add_options(app, all.options);
    return run_program("solver_benchmark", app, argc, argv, [&] { return run(app, systems, json_file, all); });
}
