#include "kernels/solver/choose_preconditioner.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <limits>
#include <utility>

#include <fmt/format.h>

#include "kernels/solver/ssor_forms.hpp"
#include "tile/error.hpp"

namespace tilespmv::solver {
namespace {

constexpr int kLeastTrial = 40, kMostTrial = 400;
constexpr double kEnoughReduction = 0.1;  ///< ends a trial after kLeastTrial iterations
constexpr double kNeededReduction = 0.5;
constexpr double kAboutAsSoon = 1.15;
constexpr double kInfinity = std::numeric_limits<double>::infinity();

/// Whether rows [first, first + count) have the same columns.
template <class T>
bool share_columns(const CsrMatrix<T>& a, std::size_t first, std::size_t count) {
    const auto cols = [&](std::size_t row) {
        return std::span<const index_t>(a.col_idxs.data() + a.row_ptrs[row], a.col_idxs.data() + a.row_ptrs[row + 1]);
    };
    for (std::size_t row = first + 1; row < first + count; ++row) {
        if (!std::ranges::equal(cols(first), cols(row))) return false;
    }
    return true;
}

/// Unknowns a node: the most rows, up to 8, of which 9 groups of 10 share their columns; 1 if there are none.
template <class T>
int unknowns_a_node(const CsrMatrix<T>& a) {
    constexpr std::size_t samples = 200;
    const auto rows = static_cast<std::size_t>(a.rows);
    for (std::size_t size = 8; size >= 2; --size) {
        const std::size_t groups = rows / size;
        if (rows % size != 0 || groups == 0) continue;
        const std::size_t step = std::max<std::size_t>(groups / samples, 1);
        std::size_t seen = 0, alike = 0;
        for (std::size_t group = 0; group < groups; group += step) {
            ++seen;
            alike += share_columns(a, group * size, size) ? 1 : 0;
        }
        if (10 * alike >= 9 * seen) return static_cast<int>(size);
    }
    return 1;
}

double seconds_since(std::chrono::steady_clock::time_point before) {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - before).count();
}

template <class T>
CsrMatrix<T> borrowed(const CsrMatrix<T>& a) {
    return borrow_csr<T>(a.rows, a.cols, std::span<const std::int64_t>(a.row_ptrs.begin(), a.row_ptrs.end()),
                         std::span<const index_t>(a.col_idxs.begin(), a.col_idxs.end()),
                         std::span<const T>(a.values.begin(), a.values.end()));
}

/// A times 1.5, 1.2, 0.9, 0.6, 1.4 ...: as far as A lets it, neither smooth nor zero.
template <class T>
Buffer<T> varying_right_hand_side(const CsrMatrix<T>& a) {
    std::vector<T> x(static_cast<std::size_t>(a.cols));
    for (std::size_t i = 0; i < x.size(); ++i) x[i] = static_cast<T>(0.5 + static_cast<double>((7 * i + 10) % 11) / 10);
    Buffer<T> b(static_cast<std::size_t>(a.rows));
    make_operator<T>("csr-omp", MatrixForms<T>(&a))->apply(T{1}, x, T{0}, {b.begin(), b.end()});
    return b;
}

double predict(const PreconditionerTrial& trial, const SolveReport& report) {
    if (report.converged()) return trial.setup_seconds + trial.iteration_seconds * trial.iterations;
    const bool has_failed = report.end != End::limit && report.end != End::stopped;
    if (has_failed || trial.reduction > kNeededReduction) return kInfinity;
    const double goal = std::log(std::max(report.tolerance / report.first_residual, 1e-300));
    return trial.setup_seconds + trial.iteration_seconds * trial.iterations * goal / std::log(trial.reduction);
}

/// Iterations of a trial, which see the residuals of a solve.
template <class T>
SolveReport iterate(Solver<T>& solver, std::span<const T> b, std::vector<T>& x, SolveOptions goal) {
    solver.solve(b, x, {.rtol = goal.rtol, .atol = goal.atol, .max_iterations = 2});  // first touches are not timed
    goal.start_from_x = false;
    goal.max_iterations = kMostTrial;
    double first = 0;
    goal.on_check = [&first](const Check& check) {
        if (check.iteration == 0) first = check.residual;
        return check.iteration < kLeastTrial || check.residual > kEnoughReduction * first;
    };
    return solver.solve(b, x, goal);
}

template <class T>
void run_trial(PreconditionerTrial& trial, const CsrMatrix<T>& a, std::span<const T> b, SolverOptions options,
               const SolveOptions& goal) {
    options.preconditioner = trial.specification;
    Solver<T> solver(borrowed(a), options);
    std::vector<T> x(b.size());
    const auto before = std::chrono::steady_clock::now();
    const SolveReport report = iterate(solver, b, x, goal);
    trial.setup_seconds = solver.preconditioner_seconds();
    trial.iterations = report.iterations;
    trial.iteration_seconds = seconds_since(before) / std::max(report.iterations + 2, 1);
    trial.end = report.end;
    if (report.first_residual > 0) {
        trial.reduction = std::ranges::min(report.history, {}, &Check::residual).residual / report.first_residual;
    }
    trial.predicted_seconds = predict(trial, report);
}

template <class T>
PreconditionerTrial try_one(const PreconditionerCandidate& candidate, const CsrMatrix<T>& a, std::span<const T> b,
                            const SolverOptions& options, const SolveOptions& goal) {
    PreconditionerTrial trial;
    trial.specification = candidate.specification;
    trial.forms = candidate.forms;
    trial.predicted_seconds = kInfinity;
    try {
        run_trial(trial, a, b, options, goal);
    } catch (const Error& error) {
        if (error.code() != ExitCode::failure) throw;
        trial.refusal = error.what();
    }
    return trial;
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

/// In the form that models favour.
template <class T>
PreconditionerCandidate ssor_candidate(const CsrMatrix<T>& a, int order, Backend backend) {
    try {
        auto forms = rank_ssor_forms(a, order, backend);
        return {ssor_specification(order, forms.front().name), std::move(forms)};
    } catch (const Error& error) {
        if (error.code() != ExitCode::failure) throw;
        return {ssor_specification(order, "factors")};  // whose trial says why there is none
    }
}

}  // namespace

template <class T>
std::vector<PreconditionerCandidate> preconditioner_candidates(const CsrMatrix<T>& a, Backend backend) {
    std::vector<PreconditionerCandidate> all{{"none"}, {"jacobi"}};
    if (const int size = unknowns_a_node(a); size > 1) all.push_back({fmt::format("block-jacobi:size={}", size)});
    for (const int order : {1, 2}) all.push_back(ssor_candidate(a, order, backend));
    return all;
}

template <class T>
PreconditionerChoice choose_preconditioner(const CsrMatrix<T>& a, const SolverOptions& options,
                                           const TrialSolve<T>& trial,
                                           std::span<const PreconditionerCandidate> candidates) {
    if (candidates.empty()) throw Error("to choose a preconditioner needs candidates");
    const auto before = std::chrono::steady_clock::now();
    const Buffer<T> made = trial.b.empty() ? varying_right_hand_side(a) : Buffer<T>{};
    const std::span<const T> b = trial.b.empty() ? std::span<const T>(made.begin(), made.end()) : trial.b;
    if (b.size() != static_cast<std::size_t>(a.rows)) {
        throw Error(fmt::format("to try preconditioners needs a b of {} values, found {}", a.rows, b.size()));
    }
    PreconditionerChoice choice;
    for (const auto& candidate : candidates) choice.trials.push_back(try_one(candidate, a, b, options, trial.goal));
    decide(choice);
    choice.seconds = seconds_since(before);
    return choice;
}

template <class T>
PreconditionerChoice choose_preconditioner(const CsrMatrix<T>& a, const SolverOptions& options,
                                           const TrialSolve<T>& trial) {
    const auto before = std::chrono::steady_clock::now();
    const auto candidates = preconditioner_candidates(a, options.backend);
    auto choice = choose_preconditioner<T>(a, options, trial, candidates);
    choice.seconds = seconds_since(before);
    return choice;
}

#define TILESPMV_INSTANTIATE(T)                                                                                     \
    template std::vector<PreconditionerCandidate> preconditioner_candidates(const CsrMatrix<T>&, Backend);          \
    template PreconditionerChoice choose_preconditioner(                                                            \
        const CsrMatrix<T>&, const SolverOptions&, const TrialSolve<T>&, std::span<const PreconditionerCandidate>); \
    template PreconditionerChoice choose_preconditioner(const CsrMatrix<T>&, const SolverOptions&,                  \
                                                        const TrialSolve<T>&);
TILESPMV_INSTANTIATE(double)
TILESPMV_INSTANTIATE(float)

}  // namespace tilespmv::solver
