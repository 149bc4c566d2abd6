/// Solves systems in every way and compares them, all in one run:
///
///     solver_benchmark [system...] [--json FILE] [--preconditioner M] [--no-cpu] ...
///
/// A system is a generator specification (`laplace2d:n=300`) or a Matrix Market file; ten of them by default. For each:
/// a line a way to solve it, and how often the default of ours fits into the time of the others; at the end the
/// geometric means.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <exception>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include "bench/harness/machine.hpp"
#include "bench/solver_contest.hpp"
#include "tile/error.hpp"
#include "tile/generate/generate.hpp"
#include "tile/io/output_file.hpp"
#include "tile/matrix_market/matrix_market.hpp"

namespace {

using namespace tilespmv;
using namespace tilespmv::bench;

const std::vector<std::string> kSystems{"laplace2d:n=32",  "laplace2d:n=100", "laplace2d:n=300", "laplace2d:n=1000",
                                        "laplace3d:n=30",  "laplace3d:n=60",  "laplace3d:n=160", "stencil27:n=20",
                                        "elasticity:n=20", "elasticity:n=50"};

CsrMatrix<double> read_system(const std::string& name) {
    if (std::filesystem::exists(name)) return read_matrix_market<double>(std::filesystem::path(name));
    return generate<double>(name.starts_with("gen:") ? name.substr(4) : name);
}

nlohmann::json to_json(const SolverTiming& t) {
    if (!t.error.empty()) return {{"name", t.name}, {"error", t.error}};
    return {{"name", t.name},
            {"how", t.how},
            {"iterations", t.iterations},
            {"converged", t.converged},
            {"seconds", t.seconds},
            {"seconds_per_iteration", t.seconds_per_iteration},
            {"residual", t.residual},
            {"setup_seconds", t.setup_seconds},
            {"extrapolated", t.is_extrapolated}};
}

void print(const SolverTiming& t, double of_default) {
    if (!t.error.empty()) return fmt::print("  {:<30} {}\n", t.name, t.error);
    const std::string ratio = of_default > 0 ? fmt::format("{:.2f} x", t.seconds / of_default) : "";
    fmt::print("  {:<30} {:>6} it {:>10.3f} us/it {:>11.3f} ms {:>9}  {:.1e}{}{}  {}\n", t.name, t.iterations,
               t.seconds_per_iteration * 1e6, t.seconds * 1e3, ratio, t.residual, t.converged ? "" : " NOT CONVERGED",
               t.is_extrapolated ? " extrapolated" : "", t.how);
}

/// Ratios of the times of a way to those of the default, over all systems where both were measured.
using Ratios = std::map<std::string, std::vector<double>>;

nlohmann::json run_system(const std::string& name, const ContestOptions& options, Ratios& ratios) {
    const auto a = read_system(name);
    fmt::print("{}: {} unknowns, {} nonzeros\n", name, a.rows, a.nnz());
    const auto timings = solver_contest(a, options);
    const SolverTiming& ours = timings.front();
    nlohmann::json results = nlohmann::json::array();
    for (const auto& t : timings) {
        print(t, ours.seconds);
        results.push_back(to_json(t));
        if (t.error.empty() && ours.error.empty()) ratios[t.name].push_back(t.seconds / ours.seconds);
    }
    std::fflush(stdout);
    return {{"system", name}, {"unknowns", a.rows}, {"nonzeros", a.nnz()}, {"results", results}};
}

nlohmann::json run_or_tell(const std::string& name, const ContestOptions& options, Ratios& ratios) {
    try {
        return run_system(name, options, ratios);
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

int run(int argc, char** argv) {
    CLI::App app("Solves systems in every way and compares them");
    std::vector<std::string> systems = kSystems;
    std::string json_file;
    ContestOptions options;
    bool no_cpu = false;
    app.add_option("systems", systems, "generator specifications or Matrix Market files");
    app.add_option("--json", json_file, "results as JSON go there");
    app.add_option("--preconditioner", options.preconditioner, "of ours")->capture_default_str();
    app.add_option("--operator", options.operator_name, "on the GPU")->capture_default_str();
    app.add_option("--rtol", options.rtol, "||b - A x|| / ||b||")->capture_default_str();
    app.add_option("--check-every", options.check_every, "iterations on the GPU")->capture_default_str();
    app.add_option("--max-iterations", options.max_iterations)->capture_default_str();
    app.add_option("--seconds", options.seconds, "for each way on the GPU")->capture_default_str();
    app.add_option("--cpu-seconds", options.cpu_seconds, "for each way on the CPU")->capture_default_str();
    app.add_flag("--no-cpu", no_cpu, "leave the CPU out");
    app.add_option("--gpus", options.gpus, "so many GPUs beside one")->capture_default_str();
    CLI11_PARSE(app, argc, argv);
    options.with_cpu = !no_cpu;

    Ratios ratios;
    nlohmann::json all{
        {"machine", describe(this_machine())},      {"rtol", options.rtol}, {"check_every", options.check_every},
        {"preconditioner", options.preconditioner}, {"gpus", options.gpus}, {"systems", nlohmann::json::array()}};
    for (const auto& name : systems) all["systems"].push_back(run_or_tell(name, options, ratios));
    print_means(ratios);
    if (json_file.empty()) return 0;
    OutputFile file(json_file);
    file.write(all.dump(2) + "\n");
    file.commit();
    return 0;
}

}  // namespace

int main(int argc, char** argv) {
    try {
        return run(argc, argv);
    } catch (const tilespmv::Error& error) {
        fmt::print(stderr, "solver_benchmark: {}\n", error.what());
        return static_cast<int>(error.code());
    } catch (const std::exception& error) {
        fmt::print(stderr, "solver_benchmark: {}\n", error.what());
        return 1;
    }
}
