#include <algorithm>
#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <utility>

#include <fmt/format.h>
#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include "kernels/multi_gpu/ranked_solver.hpp"
#include "tile/error.hpp"
#include "tile/matrix_market/matrix_market.hpp"
#include "tools/commands/command.hpp"
#include "tools/options/command_files.hpp"
#include "tools/options/options.hpp"
#include "tools/options/seconds.hpp"
#include "tools/options/value_type.hpp"
#include "tools/solve/solve_result.hpp"
#include "tools/solve/system.hpp"
#include "tools/terminal/status_line.hpp"

namespace tilespmv::tools {
namespace {

using namespace solver;

struct SolveCommand {
    SystemOptions system;
    std::string x0;
    std::string output, json;
};

/// A solver, made: solves for a right-hand side.
template <class T>
using Solve = std::function<SolveReport(std::span<const T> b, std::span<T> x, const SolveOptions& goal)>;

template <class T>
Solve<T> prepare(CsrMatrix<T> a, std::span<const T> b, const SolverOptions& options, const SolveOptions& goal,
                 SolveResult& result) {
    const std::shared_ptr<Solver<T>> solver = make_solver<T>(std::move(a), b, options, goal, result);
    return [solver](auto of, auto x, const auto& with) { return solver->solve(of, x, with); };
}

/// Of a product over ranks.
constexpr int kMeasuredProducts = 50;

template <class T>
Solve<T> prepare_on_ranks(const CsrMatrix<T>& a, std::span<const T> b, int ranks, const SolverOptions& options,
                          const SolveOptions& goal, SolveResult& result) {
    const auto solver =
        std::make_shared<multi_gpu::RankedSolver<T>>(make_ranked_solver<T>(a, b, ranks, options, goal, result));
    result.product = solver->measure_product(kMeasuredProducts);
    return [solver](auto of, auto x, const auto& with) { return solver->solve(of, x, with); };
}

/// Seconds of an iteration once the first checks are over, which record what later ones repeat.
class IterationClock {
public:
    void tick(int iteration) {
        const auto now = std::chrono::steady_clock::now();
        if (++checks_ <= kFirst) {
            first_ = iteration;
            begin_ = now;
        }
        last_ = iteration;
        end_ = now;
    }
    [[nodiscard]] double seconds() const {
        return last_ > first_ ? std::chrono::duration<double>(end_ - begin_).count() / (last_ - first_) : 0;
    }

private:
    static constexpr int kFirst = 3;  // the start, a block, a block that is recorded

    int checks_ = 0, first_ = 0, last_ = 0;
    std::chrono::steady_clock::time_point begin_, end_;
};

template <class T>
SolveReport run(const Solve<T>& solve, std::span<const T> b, std::span<T> x, SolveOptions goal, double& seconds) {
    StatusLine status;
    IterationClock clock;
    goal.on_check = [&](const Check& check) {
        clock.tick(check.iteration);
        status.show(fmt::format("iteration {}: residual {:.2e}", check.iteration, check.residual));
        return true;
    };
    const SolveReport report = solve(b, x, goal);
    seconds = clock.seconds();
    return report;
}

std::string advice(End end, std::string_view values) {
    constexpr const char* singular = " (--null-space constant, if the rows of the matrix add up to 0)";
    switch (end) {
        case End::limit:
            return "; allow more (--max-iterations), or give another --precond";
        case End::stagnated:
            return fmt::format("; give a larger --rtol{} or another --precond",
                               values == value_name<float>() ? ", --values float64" : "");
        case End::singular:
            return std::string("; give a b in its range") + singular;
        case End::not_positive_definite:
            return std::string(
                       "; conjugate gradients need a positive definite matrix, or a singular one and b in its range") +
                   singular;
        default:
            return "";
    }
}

void write_outputs(const SolveCommand& command, const SolveResult& result) {
    if (!command.json.empty()) write_text(command.json, solve_json(result).dump(2) + "\n");
    if (command.json != kStdout) fmt::print("{}", solve_text(result));
    if (result.report.converged()) return;
    throw Error(
        fmt::format("{}: {}{}", result.matrix, describe(result.report), advice(result.report.end, result.values)));
}

/// Where solves start: the columns that were given, one for all of them, or zeros.
template <class T>
Vectors<T> first_guess(const SolveCommand& command, index_t rows, index_t count) {
    Vectors<T> x{rows, count, Buffer<T>(static_cast<std::size_t>(rows) * static_cast<std::size_t>(count), T{0})};
    if (command.x0.empty()) return x;
    const auto given = read_sized<T>(command.x0, rows);
    if (given.count != 1 && given.count != count) {
        throw Error(fmt::format("{}: found {} columns, expected one, or {} as right-hand sides have", command.x0,
                                given.count, count));
    }
    for (index_t i = 0; i < count; ++i) std::ranges::copy(given.of(given.count == 1 ? 0 : i), x.of(i).begin());
    return x;
}

template <class T>
void solve_all(const Solve<T>& solve, const Vectors<T>& b, Vectors<T>& x, const SolveOptions& goal,
               SolveResult& result) {
    for (index_t i = 0; i < b.count; ++i)
        result.reports.push_back(run<T>(solve, b.of(i), x.of(i), goal, result.iteration_seconds));
    result.report = hardest(result.reports);
}

template <class T>
void solve(const SolveCommand& command) {
    SolveResult result;
    auto [a, b, options] = load_system<T>(command.system, result);
    auto x = first_guess<T>(command, a.rows, b.count);
    SolveOptions goal = command.system.goal;
    goal.start_from_x = !command.x0.empty();
    const int ranks = command.system.gpus;
    Solve<T> solve;
    result.setup_seconds = seconds([&] {
        const Buffer<T> of_all = vector_to_try(b);
        const std::span<const T> tried(of_all.begin(), of_all.end());
        solve = ranks > 0 ? prepare_on_ranks<T>(a, tried, ranks, options, goal, result)
                          : prepare<T>(std::move(a), tried, options, goal, result);
    });
    result.setup_seconds -= result.preconditioner.seconds;  // trials are told apart
    solve_all(solve, b, x, goal, result);
    if (!command.output.empty()) write_vectors<T>(command.output, x);
    write_outputs(command, result);
}

}  // namespace

void add_solve(CLI::App& app) {
    auto options = std::make_shared<SolveCommand>();
    auto* command = app.add_subcommand(
        "solve", "Solve A*x = b, A symmetric positive definite, by preconditioned conjugate gradients");
    add_system(*command, options->system);
    add_input(*command, "--x0", options->x0,
              "First guess, a Matrix Market array with a column for each right-hand side or one (default: zeros)");
    add_output(*command, "-o,--output", options->output, "Write x to this file");
    add_output_or_stdout(*command, "--json", options->json, "Write a report with all residuals");
    set_examples(*command, {"tilespmv solve bcsstk16.mtx -o x.mtx",
                            "tilespmv solve A.mtx -b b.mtx --precond ssor-ai --rtol 1e-10 --json report.json",
                            "tilespmv solve gen:laplace3d:n=100 --device cuda --json report.json"});
    command->callback([options] {
        with_value_type(value_type_for(options->system.source, options->system.values), [&]<Value V>() {
            if constexpr (CpuValue<V>) {
                solve<V>(*options);
            } else {
                throw Error(
                    fmt::format("solve works in float64 and float32, not in {}: give --values", value_name<V>()),
                    ExitCode::usage);
            }
        });
    });
}

}  // namespace tilespmv::tools
