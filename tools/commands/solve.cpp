#include <algorithm>
#include <chrono>
#include <functional>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "kernels/multi_gpu/ranked_solver.hpp"
#include "kernels/solver/choose_preconditioner.hpp"
#include "tile/error.hpp"
#include "tile/io/output_file.hpp"
#include "tile/matrix_market/matrix_market.hpp"
#include "tools/commands/command.hpp"
#include "tools/options/command_files.hpp"
#include "tools/options/number_option.hpp"
#include "tools/options/options.hpp"
#include "tools/options/seconds.hpp"
#include "tools/options/source.hpp"
#include "tools/options/value_type.hpp"
#include "tools/picture/picture_file.hpp"
#include "tools/solve/solve_result.hpp"
#include "tools/terminal/status_line.hpp"

namespace tilespmv::tools {
namespace {

using namespace solver;

struct SolveCommand {
    std::string source, b, x0;
    std::string preconditioner = "auto", operator_name = "auto", method = "auto", null_space = "none";
    std::string values, device;
    std::string output, json, plot;
    SolveOptions goal;
    int gpus = 0;  ///< 0: not given
    bool skips_symmetry_check = false;
};

/// What a and there may differ by, in roundings of a value: those of a sum in another order.
constexpr double kRoundings = 64;

template <class T>
Buffer<T> read_sized(const std::string& file, index_t rows) {
    return read_vector<T>(open_input(file),
                          {.size = rows, .meaning = "the rows of the matrix", .limits = input_limits()});
}

template <class T>
Buffer<T> right_hand_side(const SolveCommand& command, const CsrMatrix<T>& a, std::string& source) {
    if (!command.b.empty()) {
        source = source_name(command.b);
        return read_sized<T>(command.b, a.rows);
    }
    source = "A * ones";
    const Buffer<T> ones(static_cast<std::size_t>(a.rows), T{1});
    Buffer<T> b(static_cast<std::size_t>(a.rows));
    make_operator<T>("csr-omp", MatrixForms<T>(&a))
        ->apply(T{1}, {ones.begin(), ones.end()}, T{0}, {b.begin(), b.end()});
    return b;
}

SolverOptions solver_options(const SolveCommand& command) {
    SolverOptions options;
    options.backend = choose_backend(command.gpus > 0 && command.device.empty() ? "cuda" : command.device);
    options.operator_name = command.operator_name;
    options.preconditioner = command.preconditioner;
    options.constant_null_space = command.null_space == "constant";
    if (command.method != "auto") {
        options.method = command.method == "textbook" ? Method::textbook : Method::chronopoulos_gear;
    }
    return options;
}

template <class T>
void choose(const CsrMatrix<T>& a, std::span<const T> b, const SolveCommand& command, SolverOptions& options,
            SolveResult& result) {
    result.preconditioner.specification = command.preconditioner;
    if (command.preconditioner != "auto") return;
    StatusLine status;
    status.show("trying preconditioners");
    result.trial_seconds = seconds([&] {
        result.preconditioner =
            choose_preconditioner<T>(a, b, options, command.goal, preconditioner_candidates(a, options.backend));
    });
    options.preconditioner = result.preconditioner.specification;
}

/// A solver, made: solves for a right-hand side.
template <class T>
using Solve = std::function<SolveReport(std::span<const T> b, std::span<T> x, const SolveOptions& goal)>;

template <class T>
Solve<T> prepare(CsrMatrix<T> a, const SolverOptions& options, const SolveOptions& goal, SolveResult& result) {
    const auto solver = std::make_shared<Solver<T>>(std::move(a), options);
    result.how = solver->how();
    result.executed_operator = solver->operator_name();
    result.method = solver->method();
    result.check_every = solver->check_every(goal);
    return [solver](auto b, auto x, const auto& with) { return solver->solve(b, x, with); };
}

/// Of a product over ranks.
constexpr int kMeasuredProducts = 50;

template <class T>
Solve<T> prepare_on_ranks(const CsrMatrix<T>& a, int ranks, const SolverOptions& options, const SolveOptions& goal,
                          SolveResult& result) {
    using namespace multi_gpu;
    const bool is_on_gpus = options.backend == Backend::cuda;
    result.method = options.method.value_or(default_method(options.backend));
    const RankedOptions ranked{.ranks = ranks,
                               .operator_name = options.operator_name,
                               .preconditioner = options.preconditioner,
                               .method = result.method,
                               .constant_null_space = options.constant_null_space};
    const auto solver = std::make_shared<RankedSolver<T>>(is_on_gpus ? make_gpu_ranked_solver(a, ranked)
                                                                     : make_cpu_ranked_solver(a, ranked));
    result.ranks = solver->reports();
    result.how = fmt::format("{} rank{}, each on {}", ranks, ranks == 1 ? "" : "s", result.ranks.front().how);
    result.executed_operator = result.ranks.front().operator_name;
    result.check_every = solver->check_every(goal);
    result.product = solver->measure_product(kMeasuredProducts);
    return [solver](auto b, auto x, const auto& with) { return solver->solve(b, x, with); };
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

std::string advice(End end) {
    if (end == End::limit) return "; allow more (--max-iterations), or give another --precond";
    if (end == End::stagnated) return "; give a larger --rtol or another --precond";
    if (end == End::not_positive_definite)
        return "; conjugate gradients need a positive definite matrix (a singular one: --null-space)";
    return "";
}

void write_json(const std::string& file, const SolveResult& result) {
    const std::string json = solve_json(result).dump(2) + "\n";
    if (file == kStdout) return fmt::print("{}", json);
    OutputFile output(file);
    output.write(json);
    output.commit();
}

void write_outputs(const SolveCommand& command, const SolveResult& result) {
    if (!command.json.empty()) write_json(command.json, result);
    constexpr double pixels_per_point = 2;
    if (!command.plot.empty()) write_picture(command.plot, draw_convergence(result), pixels_per_point);
    if (command.json != kStdout) fmt::print("{}", solve_text(result));
    if (result.report.converged()) return;
    throw Error(fmt::format("{}: {}{}", result.matrix, describe(result.report), advice(result.report.end)));
}

template <class T>
void solve(const SolveCommand& command) {
    CsrMatrix<T> a = load_csr<T>(command.source);
    SolveResult result;
    result.matrix = source_name(command.source);
    const double tolerance = kRoundings * std::numeric_limits<T>::epsilon();
    if (a.rows != a.cols || !command.skips_symmetry_check) check_symmetry(a, tolerance);
    const auto b = right_hand_side(command, a, result.right_hand_side);
    auto x = command.x0.empty() ? Buffer<T>(static_cast<std::size_t>(a.rows), T{0}) : read_sized<T>(command.x0, a.rows);
    result.rows = a.rows;
    result.nnz = a.nnz();
    result.values = value_name<T>();
    SolverOptions options = solver_options(command);
    choose<T>(a, {b.begin(), b.end()}, command, options, result);

    Solve<T> solve;
    result.setup_seconds = seconds([&] {
        solve = command.gpus > 0 ? prepare_on_ranks<T>(a, command.gpus, options, command.goal, result)
                                 : prepare<T>(std::move(a), options, command.goal, result);
    });
    result.operator_name = command.operator_name;
    result.method_was_asked_for = options.method.has_value();
    result.rtol = command.goal.rtol;
    result.atol = command.goal.atol;
    SolveOptions goal = command.goal;
    goal.start_from_x = !command.x0.empty();
    result.report = run<T>(solve, {b.begin(), b.end()}, {x.begin(), x.end()}, goal, result.iteration_seconds);
    if (!command.output.empty()) write_vector<T>(command.output, {x.begin(), x.end()});
    write_outputs(command, result);
}

void add_goal(CLI::App& command, SolveOptions& goal) {
    const auto real = [&](const char* name, double& target, const char* help) {
        add_number<double>(command, name, target, 0, std::numeric_limits<double>::max(), help)
            ->default_str(fmt::format("{}", target));
    };
    const auto whole = [&](const char* name, int& target, const char* help, const char* otherwise) {
        add_number<int>(command, name, target, 1, std::numeric_limits<int>::max(), help)->default_str(otherwise);
    };
    real("--rtol", goal.rtol, "Converged at ||b - A*x|| <= rtol * ||b||,");
    real("--atol", goal.atol, "or at ||b - A*x|| <= atol");
    whole("--max-iterations", goal.max_iterations, "Limit", "10 times the rows, from 1000 to 100000");
    whole("--check-every", goal.check_every, "Iterations between looks at the residual", "1, on a GPU 32");
}

void add_choices(CLI::App& command, SolveCommand& o) {
    command
        .add_option("--precond", o.preconditioner,
                    "Preconditioner, name[:option=value,...]; `tilespmv info` lists the names; auto tries several")
        ->default_str("auto");
    command.add_option("--operator", o.operator_name, "What multiplies by A, name[:option=value,...]")
        ->default_str("auto");
    command.add_option("--method", o.method, "Recurrence: auto, chronopoulos-gear or textbook")
        ->check(CLI::IsMember({"auto", "chronopoulos-gear", "textbook"}))
        ->default_str("auto");
    command.add_option("--null-space", o.null_space, "constant: A is singular, A * ones = 0; x gets no mean")
        ->check(CLI::IsMember({"none", "constant"}))
        ->default_str("none");
    command.add_flag("--skip-symmetry-check", o.skips_symmetry_check, "Take the matrix for symmetric");
}

}  // namespace

void add_solve(CLI::App& app) {
    auto options = std::make_shared<SolveCommand>();
    auto* command = app.add_subcommand(
        "solve", "Solve A*x = b, A symmetric positive definite, by preconditioned conjugate gradients");
    add_source(*command, options->source);
    add_input(*command, "-b,--rhs", options->b, "Right-hand side, a Matrix Market array (default: A * ones)");
    add_input(*command, "--x0", options->x0, "First guess, a Matrix Market array (default: zeros)");
    add_choices(*command, *options);
    add_goal(*command, options->goal);
    add_values(*command, options->values);
    add_device(*command, options->device, "the GPU if there is one");
    add_number<int>(*command, "--gpus", options->gpus, 1, 1024,
                    "Divide the rows among so many GPUs (with --device cpu: as many groups of threads)");
    add_output(*command, "-o,--output", options->output, "Write x to this file");
    add_output_or_stdout(*command, "--json", options->json, "Write a report with all residuals");
    add_output(*command, "--plot", options->plot, "Draw the convergence, to .svg or .png");
    set_examples(*command,
                 {"tilespmv solve bcsstk16.mtx -o x.mtx",
                  "tilespmv solve A.mtx -b b.mtx --precond ssor-ai:order=2 --rtol 1e-10 --plot convergence.svg",
                  "tilespmv solve gen:laplace3d:n=100 --device cuda --json report.json"});
    command->callback([options] {
        with_value_type(value_type_for(options->source, options->values), [&]<Value V>() {
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
