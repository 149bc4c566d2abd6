#include "tools/bindings/solve.hpp"

#include <limits>
#include <span>

#include "kernels/solver/solve.hpp"
#include "tile/error.hpp"
#include "tile/seconds_since.hpp"
#include "tools/bindings/views.hpp"

namespace tilespmv::bindings {
namespace {

solver::SolverOptions options_of(const SolveRequest& request, Backend backend) {
    solver::SolverOptions options;
    options.backend = backend;
    options.operator_name = request.operator_name;
    options.preconditioner = request.preconditioner;
    options.constant_null_space = request.constant_null_space;
    return options;
}

solver::SolveOptions goal_of(const SolveRequest& request) {
    solver::SolveOptions goal;
    goal.rtol = request.rtol;
    goal.atol = request.atol;
    goal.max_iterations = request.max_iterations;
    goal.check_every = request.check_every;
    goal.start_from_x = request.start_from_x;
    if (request.on_check) {
        goal.on_check = [&](const solver::Check& check) { return request.on_check(check.iteration, check.residual); };
    }
    return goal;
}

SolveResult result_of(const solver::SolveReport& report) {
    SolveResult result;
    result.end = solver::end_name(report.end);
    result.message = solver::describe(report);
    result.converged = report.converged();
    result.iterations = report.iterations;
    result.residual = report.residual;
    result.tolerance = report.tolerance;
    result.rhs_norm = report.rhs_norm;
    result.seconds = report.seconds;
    for (const solver::Check& check : report.history) result.history.emplace_back(check.iteration, check.residual);
    return result;
}

}  // namespace

template <Value V, class Matrix, class... By>
SolveResult solve_system(Matrix a, Backend backend, const Array& b, const Array& x, const SolveRequest& request,
                         const By*... by) {
    const auto rhs = block_of<const V>(b);
    const auto solution = block_of<V>(x);
    if (!rhs || !solution || !rhs->has_columns() || !solution->has_columns() || b.cols != 1 || x.cols != 1) {
        throw Error("b and x have to be vectors whose values lie one after the other", ExitCode::usage);
    }
    const auto start = std::chrono::steady_clock::now();
    if (request.check_symmetry) solver::check_symmetry(a, 1e3 * std::numeric_limits<V>::epsilon());
    const bool is_on_device = b.memory == Memory::device;
    solver::TrialSolve<V> trial;
    trial.goal = goal_of(request);
    if (!is_on_device) trial.b = {rhs->data, rhs->rows};
    solver::Solver<V> solver(std::move(a), options_of(request, backend), trial, by...);
    const double setup = seconds_since(start);
    SolveResult result =
        result_of(is_on_device ? solver.solve(cuda::DeviceSpan<const V>(rhs->data, rhs->rows),
                                              cuda::DeviceSpan<V>(solution->data, solution->rows), trial.goal)
                               : solver.solve(std::span<const V>(rhs->data, rhs->rows),
                                              std::span<V>(solution->data, solution->rows), trial.goal));
    result.setup_seconds = setup;
    result.preconditioner = request.preconditioner == solver::kAutoPreconditioner
                                ? solver.preconditioner_choice().specification
                                : request.preconditioner;
    result.operator_name = std::string(solver.operator_specification());
    return result;
}

#define TILESPMV_INSTANTIATE(V)                                                                                   \
    template SolveResult solve_system<V>(CsrMatrix<V>, Backend, const Array&, const Array&, const SolveRequest&); \
    template SolveResult solve_system<V>(cuda::DeviceCsrView<V>, Backend, const Array&, const Array&,             \
                                         const SolveRequest&, const Operator<V>*);
TILESPMV_INSTANTIATE(double)
TILESPMV_INSTANTIATE(float)

}  // namespace tilespmv::bindings
