#include "kernels/solver/choose_preconditioner.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <functional>
#include <limits>
#include <utility>

#include <fmt/format.h>

#include "kernels/choose_operator.hpp"
#include "kernels/require_square.hpp"
#include "kernels/solver/solve.hpp"
#include "tile/error.hpp"
#include "tile/seconds_since.hpp"

namespace tilespmv::solver {
namespace {

constexpr int kLeastTrial = 40, kMostTrial = 400;
constexpr double kEnoughReduction = 0.1;  ///< ends a trial after kLeastTrial iterations
constexpr double kNeededReduction = 0.5;
constexpr double kAboutAsSoon = 1.15;
constexpr double kInfinity = std::numeric_limits<double>::infinity();

double predict(const PreconditionerTrial& trial, const SolveReport& report) {
    if (report.converged()) return trial.setup_seconds + trial.iteration_seconds * trial.iterations;
    const bool has_failed = report.end != End::limit && report.end != End::stopped;
    if (has_failed || trial.reduction > kNeededReduction) return kInfinity;
    const double goal = std::log(std::max(report.tolerance / report.first_residual, 1e-300));
    return trial.setup_seconds + trial.iteration_seconds * trial.iterations * goal / std::log(trial.reduction);
}

double predicted_iterations(const PreconditionerTrial& trial) {
    return (trial.predicted_seconds - trial.setup_seconds) / trial.iteration_seconds;
}

/// The soonest; of those about as soon, as times are not exact, the one with the fewest iterations.
const PreconditionerTrial& best_of(const std::vector<PreconditionerTrial>& trials) {
    const auto* best = &*std::ranges::min_element(trials, {}, &PreconditionerTrial::predicted_seconds);
    const double about = kAboutAsSoon * best->predicted_seconds;
    for (const auto& trial : trials) {
        if (trial.predicted_seconds <= about && predicted_iterations(trial) < predicted_iterations(*best))
            best = &trial;
    }
    return *best;
}

/// In the 2-norm, of finite values of any size.
template <class T>
double norm(std::span<const T> v) {
    double largest = 0, sum = 0;
    for (const T value : v) largest = std::max(largest, std::abs(double{value}));
    if (largest == 0) return 0;
    for (const T value : v) sum += (value / largest) * (value / largest);
    return largest * std::sqrt(sum);
}

template <class T>
void require_finite(std::span<const T> b, std::string_view what) {
    const auto bad = std::ranges::find_if(b, [](T value) { return !std::isfinite(value); });
    if (bad == b.end()) return;
    throw Error(
        fmt::format("to try preconditioners needs finite values: {} is {} in row {}", what, *bad, bad - b.begin() + 1));
}

template <class T, class Matrix>
Buffer<T> a_times_varied(const Matrix& a, Backend backend) {
    std::vector<T> x(static_cast<std::size_t>(a.cols));
    for (std::size_t i = 0; i < x.size(); ++i) x[i] = static_cast<T>(0.5 + static_cast<double>((7 * i + 10) % 11) / 10);
    Buffer<T> b(static_cast<std::size_t>(a.rows));
    make_operator<T>(operator_on<T>(backend, Form::csr), a, {.backend = backend})->apply(T{1}, x, T{0}, b);
    return b;
}

/// Of a trial, which sees the residuals of a solve.
SolveOptions trial_options(SolveOptions goal, double& first) {
    goal.start_from_x = false;
    goal.max_iterations = kMostTrial;
    goal.on_check = [&first](const Check& check) {
        if (check.iteration == 0) first = check.residual;
        return check.iteration < kLeastTrial || check.residual > kEnoughReduction * first;
    };
    return goal;
}

/// `trial.b`, or where there is none, or x = 0 solves for it, which all preconditioners do, `made`, which becomes A
/// times 1.5, 1.2, 0.9, 0.6, 1.4 ...: as far as A lets it, neither smooth nor zero.
template <class T, class Matrix>
std::span<const T> trial_right_hand_side(const Matrix& a, Backend backend, const TrialSolve<T>& trial,
                                         Buffer<T>& made) {
    if (!trial.b.empty() && trial.b.size() != static_cast<std::size_t>(a.rows)) {
        throw Error(fmt::format("to try preconditioners needs a b of {} values, found {}", a.rows, trial.b.size()));
    }
    require_finite(trial.b, "b");
    if (norm(trial.b) > trial.goal.atol) return trial.b;
    made = a_times_varied<T>(a, backend);
    const std::span<const T> b(made.begin(), made.end());
    require_finite(b, "A times numbers near 1");
    return b;
}

/// Lets a solver iterate and sets what that showed, with the predicted time. The trial has its setup time already.
void run_trial(PreconditionerTrial& trial, const SolveOptions& goal,
               const std::function<SolveReport(const SolveOptions&)>& solve) {
    double first = 0;
    solve({.rtol = goal.rtol, .atol = goal.atol, .max_iterations = 2});  // first touches are not timed
    const auto before = std::chrono::steady_clock::now();
    const SolveReport report = solve(trial_options(goal, first));
    trial.iterations = report.iterations;
    trial.iteration_seconds = seconds_since(before) / std::max(report.iterations, 1);
    trial.end = report.end;
    for (const Check& check : report.history) {
        if (report.first_residual > 0)
            trial.reduction = std::min(trial.reduction, check.residual / report.first_residual);
    }
    trial.predicted_seconds = predict(trial, report);
}

/// Sets which one is taken, and why, from the trials.
void decide(PreconditionerChoice& choice) {
    const auto& best = best_of(choice.trials);
    if (best.predicted_seconds < kInfinity) {
        const auto& soonest = *std::ranges::min_element(choice.trials, {}, &PreconditionerTrial::predicted_seconds);
        const char* how = &best == &soonest ? "" : "about ";
        const char* few = &best == &soonest ? "" : ", and of those the fewest iterations";
        choice.specification = best.specification;
        choice.reason =
            fmt::format("of {} tried {}the least predicted time to the tolerance{}", choice.trials.size(), how, few);
        return;
    }
    const auto jacobi = std::ranges::find(choice.trials, "jacobi", &PreconditionerTrial::specification);
    const bool has_jacobi = jacobi != choice.trials.end() && jacobi->refusal.empty();
    choice.specification = has_jacobi ? "jacobi" : "none";
    choice.reason = fmt::format("none of {} tried converged in its trial", choice.trials.size());
}

template <class T>
CsrMatrix<T> borrowed(const CsrMatrix<T>& a) {
    return borrow_csr<T>(a.rows, a.cols, std::span<const std::int64_t>(a.row_ptrs.begin(), a.row_ptrs.end()),
                         std::span<const index_t>(a.col_idxs.begin(), a.col_idxs.end()),
                         std::span<const T>(a.values.begin(), a.values.end()));
}

template <class T>
const cuda::DeviceCsrView<T>& borrowed(const cuda::DeviceCsrView<T>& a) {
    return a;
}

/// A candidate that is made and tried, or the reason why it cannot be.
template <class T>
struct Tried {
    PreconditionerTrial trial;
    std::shared_ptr<Preconditioner<T>> made;
};

template <class T, class Matrix, class... By>
Tried<T> try_one(const std::string& candidate, const Matrix& a, std::span<const T> b, const SolverOptions& options,
                 const SolveOptions& goal, const By*... by) {
    Tried<T> tried{{.specification = candidate, .predicted_seconds = std::numeric_limits<double>::infinity()}, nullptr};
    try {
        const auto before = std::chrono::steady_clock::now();
        tried.made = make_preconditioner<T>(candidate, a);
        tried.trial.setup_seconds = seconds_since(before);
        Solver<T> solver(borrowed(a), tried.made, options, by...);
        run_trial(tried.trial, goal, solver.load(b));
    } catch (const Error& error) {
        if (error.code() != ExitCode::failure) throw;
        tried.trial.refusal = error.what();
    }
    return tried;
}

template <class T, class Matrix, class... By>
ChosenPreconditioner<T> choose_by(const Matrix& a, Backend backend, const SolverOptions& options,
                                  const TrialSolve<T>& trial, std::span<const std::string> candidates,
                                  const By*... by) {
    if (candidates.empty()) throw Error("to choose a preconditioner needs candidates");
    require_square(a, "to choose a preconditioner");
    const auto before = std::chrono::steady_clock::now();
    Buffer<T> made;
    const std::span<const T> b = trial_right_hand_side(a, backend, trial, made);
    ChosenPreconditioner<T> chosen;
    std::vector<std::shared_ptr<Preconditioner<T>>> all;
    for (const auto& candidate : candidates) {
        Tried<T> tried = try_one(candidate, a, b, options, trial.goal, by...);
        chosen.choice.trials.push_back(std::move(tried.trial));
        all.push_back(std::move(tried.made));
    }
    decide(chosen.choice);
    chosen.choice.seconds = seconds_since(before);
    const auto& trials = chosen.choice.trials;
    const auto taken = std::ranges::find(trials, chosen.choice.specification, &PreconditionerTrial::specification);
    if (taken == trials.end()) return chosen;
    chosen.made = all[static_cast<std::size_t>(taken - trials.begin())];
    chosen.choice.seconds -= taken->setup_seconds;
    return chosen;
}

}  // namespace

template <class T>
ChosenPreconditioner<T> choose_preconditioner(const CsrMatrix<T>& a, const SolverOptions& options,
                                              const TrialSolve<T>& trial, std::span<const std::string> candidates) {
    return choose_by(a, Backend::cpu, options, trial, candidates);
}

template <class T>
ChosenPreconditioner<T> choose_preconditioner(const cuda::DeviceCsrView<T>& a, const SolverOptions& options,
                                              const TrialSolve<T>& trial, const Operator<T>* by,
                                              std::span<const std::string> candidates) {
    return choose_by(a, Backend::cuda, options, trial, candidates, by);
}

#define TILESPMV_INSTANTIATE(T)                                                                                 \
    template ChosenPreconditioner<T> choose_preconditioner(const CsrMatrix<T>&, const SolverOptions&,           \
                                                           const TrialSolve<T>&, std::span<const std::string>); \
    template ChosenPreconditioner<T> choose_preconditioner(const cuda::DeviceCsrView<T>&, const SolverOptions&, \
                                                           const TrialSolve<T>&, const Operator<T>*,            \
                                                           std::span<const std::string>);
TILESPMV_INSTANTIATE(double)
TILESPMV_INSTANTIATE(float)

}  // namespace tilespmv::solver
