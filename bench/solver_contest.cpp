#include "bench/solver_contest.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <functional>

#include <fmt/format.h>
#include <omp.h>

#include "bench/harness/cuda_library_pcg.hpp"
#include "kernels/multi_gpu/ranked_solver.hpp"
#include "kernels/solver/choose_preconditioner.hpp"
#include "kernels/solver/conjugate_gradients.hpp"
#include "kernels/solver/device_space.hpp"
#include "kernels/solver/solve.hpp"
#include "tile/error.hpp"
#include "tile/seconds_since.hpp"

namespace tilespmv::bench {
namespace {

using namespace solver;

constexpr std::size_t kLeastSolves = 3;
constexpr std::size_t kMostSolves = 50;

using Clock = std::chrono::steady_clock;

/// The median of runs after the first one.
template <class F>
double median_seconds(double at_least, F&& run) {
    run();
    std::vector<double> seconds;
    double all = 0;
    while (seconds.size() < kLeastSolves || (all < at_least && seconds.size() < kMostSolves)) {
        const auto before = Clock::now();
        run();
        seconds.push_back(seconds_since(before));
        all += seconds.back();
    }
    std::ranges::sort(seconds);
    return seconds[seconds.size() / 2];
}

/// A system and its right-hand side.
struct Problem {
    explicit Problem(const CsrMatrix<double>& matrix, const ContestOptions& with)
        : a(matrix), options(with), b(static_cast<std::size_t>(matrix.rows)) {
        for (std::size_t i = 0; i < b.size(); ++i) b[i] = std::sin(static_cast<double>(i) + 1) + 0.25;
    }

    [[nodiscard]] int check_every() const { return options.backend == Backend::cpu ? 1 : options.check_every; }

    [[nodiscard]] double residual(const std::vector<double>& x) const {
        double error2 = 0;
        double size2 = 0;
        for (std::size_t row = 0; row < b.size(); ++row) {
            double left = b[row];
            for (auto k = static_cast<std::size_t>(a.row_ptrs[row]); k < static_cast<std::size_t>(a.row_ptrs[row + 1]);
                 ++k) {
                left -= a.values[k] * x[static_cast<std::size_t>(a.col_idxs[k])];
            }
            error2 += left * left;
            size2 += b[row] * b[row];
        }
        return std::sqrt(error2 / size2);
    }

    const CsrMatrix<double>& a;
    const ContestOptions& options;
    std::vector<double> b;
};

/// What a solve to a number of iterations came to.
struct Outcome {
    int iterations = 0;
    bool converged = false;
    std::string end{};
};
using Solve = std::function<Outcome(std::vector<double>& x, int max_iterations)>;

/// Whole solves; of one that does not converge the first.
void time_whole(SolverTiming& timing, const Problem& problem, const Solve& solve) {
    std::vector<double> x(problem.b.size());
    const auto before = Clock::now();
    Outcome whole = solve(x, problem.options.max_iterations);
    timing.seconds = seconds_since(before);
    if (whole.converged) {
        timing.seconds =
            median_seconds(problem.options.seconds, [&] { whole = solve(x, problem.options.max_iterations); });
    }
    timing.iterations = whole.iterations;
    timing.converged = whole.converged;
    timing.end = whole.end;
    timing.residual = problem.residual(x);
    timing.seconds_per_iteration = timing.seconds / std::max(1, whole.iterations);
}

/// Also the time of an iteration from two numbers of whole blocks: without what every solve begins and ends with, and
/// without what is left of a block after the end.
void time_solves(SolverTiming& timing, const Problem& problem, const Solve& solve) {
    time_whole(timing, problem, solve);
    const int step = problem.check_every();
    const int many = timing.iterations / step * step;
    const int few = many / 2 / step * step;
    if (few == 0) return;
    const double at_least = problem.options.seconds;
    std::vector<double> x(problem.b.size());
    const double of_many = median_seconds(at_least / 2, [&] { solve(x, many); });
    const double of_few = median_seconds(at_least / 2, [&] { solve(x, few); });
    timing.seconds_per_iteration = (of_many - of_few) / (many - few);
}

/// By a `Solver` or `ConjugateGradients`, which must outlive it.
template <class S>
Solve solve_by(S& solver, const Problem& problem) {
    return [&](std::vector<double>& x, int max_iterations) -> Outcome {
        const auto report = solver.solve(
            problem.b, x,
            {.rtol = problem.options.rtol, .max_iterations = max_iterations, .check_every = problem.check_every()});
        return {report.iterations, report.converged(), std::string(end_name(report.end))};
    };
}

/// Runs `measure`; an error is a result, too.
template <class F>
SolverTiming attempt(const std::string& name, F&& measure) {
    SolverTiming timing;
    timing.name = name;
    try {
        measure(timing);
    } catch (const Error& error) {
        timing = {};
        timing.name = name;
        timing.error = error.what();
    }
    return timing;
}

SolverTiming time_on_gpu(const Problem& problem, const std::string& name, Method method, SolverOptions options) {
    return attempt(name, [&](SolverTiming& timing) {
        const auto before = Clock::now();
        const auto m = make_preconditioner<double>(problem.options.preconditioner, problem.a);
        options.operator_name = problem.options.operator_name;
        const auto space = make_device_space<double>(problem.a, m->parts(), options);
        ConjugateGradients<double> iteration(*space, method);
        timing.setup_seconds = seconds_since(before);
        time_solves(timing, problem, solve_by(iteration, problem));
        timing.how = fmt::format("{}; {}", space->operator_name(), space->how());
    });
}

std::string how_it_solves(const Solver<double>& solver) {
    return fmt::format("{}; {}; {}", method_name(solver.method()), solver.operator_name(), solver.how());
}

/// What `tilespmv solve` takes.
SolverTiming time_default(const Problem& problem) {
    return attempt("default", [&](SolverTiming& timing) {
        const auto before = Clock::now();
        Solver<double> solver(problem.a.clone(), {.backend = problem.options.backend,
                                                  .operator_name = problem.options.operator_name,
                                                  .preconditioner = problem.options.preconditioner});
        timing.setup_seconds = seconds_since(before);
        time_solves(timing, problem, solve_by(solver, problem));
        timing.how = how_it_solves(solver);
    });
}

/// The same with another preconditioner.
SolverTiming time_preconditioner(const Problem& problem, const std::string& specification) {
    return attempt(specification, [&](SolverTiming& timing) {
        const auto before = Clock::now();
        Solver<double> solver(problem.a.clone(), {.backend = problem.options.backend,
                                                  .operator_name = problem.options.operator_name,
                                                  .preconditioner = specification});
        timing.setup_seconds = seconds_since(before);
        time_whole(timing, problem, solve_by(solver, problem));
        timing.how = how_it_solves(solver);
    });
}

/// One solve to the end, whatever it takes.
SolverTiming solve_reference(const Problem& problem) {
    return attempt(kReferenceName, [&](SolverTiming& timing) {
        const auto before = Clock::now();
        Solver<double> solver(problem.a.clone(),
                              {.preconditioner = problem.options.preconditioner, .method = Method::textbook});
        timing.setup_seconds = seconds_since(before);
        std::vector<double> x(problem.b.size());
        const auto report = solver.solve(
            problem.b, x, {.rtol = problem.options.rtol, .max_iterations = problem.options.max_iterations});
        timing.iterations = report.iterations;
        timing.converged = report.converged();
        timing.end = end_name(report.end);
        timing.seconds = report.seconds;
        timing.seconds_per_iteration = report.seconds / std::max(1, report.iterations);
        timing.residual = problem.residual(x);
        timing.how = how_it_solves(solver);
    });
}

/// On the CPU with as many groups of threads.
SolverTiming time_on_gpus(const Problem& problem, int gpus) {
    const char* what = problem.options.backend == Backend::cpu ? "ranks" : "GPUs";
    return attempt(fmt::format("{} {}", gpus, what), [&](SolverTiming& timing) {
        const auto before = Clock::now();
        const multi_gpu::RankedOptions options{.ranks = gpus,
                                               .operator_name = problem.options.operator_name,
                                               .preconditioner = problem.options.preconditioner};
        auto solver = problem.options.backend == Backend::cpu ? multi_gpu::make_cpu_ranked_solver(problem.a, options)
                                                              : multi_gpu::make_gpu_ranked_solver(problem.a, options);
        timing.setup_seconds = seconds_since(before);
        time_solves(timing, problem, solve_by(solver, problem));
        const auto first = solver.reports().front();
        timing.how = fmt::format("{}; first: {}; {}", method_name(solver.method()), first.operator_name, first.how);
    });
}

std::vector<double> inverse_diagonal(const CsrMatrix<double>& a) {
    const auto m = make_preconditioner<double>("jacobi", a);
    const auto& values = m->parts().inverse_diagonal;
    return {values.begin(), values.end()};
}

SolverTiming time_library(const Problem& problem, int algorithm) {
    return attempt("library", [&](SolverTiming& timing) {
        const auto before = Clock::now();
        const auto library = make_library_pcg(problem.a, inverse_diagonal(problem.a), algorithm);
        timing.setup_seconds = seconds_since(before);
        time_solves(timing, problem, [&](std::vector<double>& x, int max_iterations) -> Outcome {
            const auto report =
                library->solve(problem.b, x, problem.options.rtol, problem.options.check_every, max_iterations);
            return {report.iterations, report.converged};
        });
        timing.how = fmt::format("cuSPARSE CSR ALG{}, cuBLAS, graphs", algorithm);
    });
}

SolverTiming time_better_library(const Problem& problem) {
    if (problem.options.preconditioner != "jacobi") {
        SolverTiming none;
        none.name = "library";
        none.error = "it has Jacobi only";
        return none;
    }
    const SolverTiming first = time_library(problem, 1);
    const SolverTiming second = time_library(problem, 2);
    if (!first.error.empty()) return second;
    return second.error.empty() && second.seconds < first.seconds ? second : first;
}

/// Whole, if a few iterations say that it does not take too long; else so many as the time allows.
SolverTiming time_on_cpu(const Problem& problem, const std::string& name, int threads, int expected_iterations) {
    const int all_threads = omp_get_max_threads();
    omp_set_num_threads(threads);
    auto timing = attempt(name, [&](SolverTiming& t) {
        const auto before = Clock::now();
        Solver<double> solver(problem.a.clone(),
                              {.preconditioner = problem.options.preconditioner, .method = Method::textbook});
        t.setup_seconds = seconds_since(before);
        t.how = solver.how();
        std::vector<double> x(problem.b.size());
        const auto solve = [&](int max_iterations) {
            return solver.solve(problem.b, x, {.rtol = problem.options.rtol, .max_iterations = max_iterations});
        };
        solve(1);
        const double few = solve(4).seconds / 4;
        const bool is_short = few * expected_iterations <= problem.options.cpu_seconds;
        const auto report = solve(is_short ? problem.options.max_iterations
                                           : std::max(4, static_cast<int>(problem.options.cpu_seconds / few)));
        t.seconds_per_iteration = report.seconds / std::max(1, report.iterations);
        t.is_extrapolated = !is_short && report.end == End::limit;
        t.converged = report.converged();
        t.iterations = t.is_extrapolated ? expected_iterations : report.iterations;
        if (!t.is_extrapolated) t.end = end_name(report.end);
        t.seconds = t.seconds_per_iteration * t.iterations;
        t.residual = problem.residual(x);
    });
    omp_set_num_threads(all_threads);
    return timing;
}

void add_methods(const Problem& problem, std::vector<SolverTiming>& all) {
    const SolverOptions graph{.use_persistent_kernel = false};
    const SolverOptions persistent{.persistent_at_any_size = true};
    for (const Method method : {Method::chronopoulos_gear, Method::textbook}) {
        const std::string name(method_name(method));
        all.push_back(time_on_gpu(problem, name + ", graphs", method, graph));
        all.push_back(time_on_gpu(problem, name + ", persistent", method, persistent));
    }
    all.push_back(time_better_library(problem));
}

}  // namespace

std::vector<SolverTiming> preconditioner_contest(const CsrMatrix<double>& a, const ContestOptions& options) {
    const Problem problem(a, options);
    std::vector<SolverTiming> all;
    for (const auto& one : kPreconditionerCandidates) all.push_back(time_preconditioner(problem, one));
    return all;
}

std::vector<SolverTiming> solver_contest(const CsrMatrix<double>& a, const ContestOptions& options) {
    const Problem problem(a, options);
    std::vector<SolverTiming> all;
    all.push_back(time_default(problem));
    if (options.with_reference) all.push_back(solve_reference(problem));
    if (options.gpus > 1) all.push_back(time_on_gpus(problem, options.gpus));
    if (options.with_methods && options.backend == Backend::cuda) add_methods(problem, all);
    if (!options.with_cpu) return all;
    const auto measured = std::ranges::find_if(all, [](const SolverTiming& t) { return t.error.empty(); });
    const int expected = measured == all.end() ? 1000 : measured->iterations;
    all.push_back(time_on_cpu(problem, "cpu, 1 thread", 1, expected));
    all.push_back(time_on_cpu(problem, "cpu, all threads", omp_get_max_threads(), expected));
    return all;
}

}  // namespace tilespmv::bench
