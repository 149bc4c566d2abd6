#include "kernels/solver/choose_preconditioner.hpp"

#include <algorithm>
#include <chrono>
#include <limits>
#include <utility>

#include <fmt/format.h>

#include "kernels/solver/preconditioner_trials.hpp"
#include "kernels/solver/require_square.hpp"
#include "kernels/solver/solve.hpp"
#include "tile/error.hpp"
#include "tile/seconds_since.hpp"

namespace tilespmv::solver {
namespace {

template <class T>
CsrMatrix<T> borrowed(const CsrMatrix<T>& a) {
    return borrow_csr<T>(a.rows, a.cols, std::span<const std::int64_t>(a.row_ptrs.begin(), a.row_ptrs.end()),
                         std::span<const index_t>(a.col_idxs.begin(), a.col_idxs.end()),
                         std::span<const T>(a.values.begin(), a.values.end()));
}

/// A candidate that is made and tried, or the reason why it cannot be.
template <class T>
struct Tried {
    PreconditionerTrial trial;
    std::shared_ptr<Preconditioner<T>> made;
};

template <class T>
void make_and_run(Tried<T>& tried, const CsrMatrix<T>& a, std::span<const T> b, const SolverOptions& options,
                  const SolveOptions& goal) {
    const auto before = std::chrono::steady_clock::now();
    tried.made = make_preconditioner<T>(tried.trial.specification, a);
    tried.trial.setup_seconds = seconds_since(before);
    Solver<T> solver(borrowed(a), tried.made, options);
    std::vector<T> x(b.size());
    run_trial(tried.trial, goal, [&](const SolveOptions& with) { return solver.solve(b, x, with); });
}

template <class T>
Tried<T> try_one(const std::string& candidate, const CsrMatrix<T>& a, std::span<const T> b,
                 const SolverOptions& options, const SolveOptions& goal) {
    Tried<T> tried{{.specification = candidate, .predicted_seconds = std::numeric_limits<double>::infinity()}, nullptr};
    try {
        make_and_run(tried, a, b, options, goal);
    } catch (const Error& error) {
        if (error.code() != ExitCode::failure) throw;
        tried.trial.refusal = error.what();
    }
    return tried;
}

/// Also M of the choice, if it was tried.
template <class T>
ChosenPreconditioner<T> try_all(const CsrMatrix<T>& a, std::span<const T> b, const SolverOptions& options,
                                const SolveOptions& goal, std::span<const std::string> candidates) {
    ChosenPreconditioner<T> chosen;
    std::vector<std::shared_ptr<Preconditioner<T>>> made;
    for (const auto& candidate : candidates) {
        Tried<T> tried = try_one(candidate, a, b, options, goal);
        chosen.choice.trials.push_back(std::move(tried.trial));
        made.push_back(std::move(tried.made));
    }
    decide(chosen.choice);
    if (const PreconditionerTrial* trial = taken(chosen.choice)) {
        chosen.made = made[static_cast<std::size_t>(trial - chosen.choice.trials.data())];
        chosen.setup_seconds = trial->setup_seconds;
    }
    return chosen;
}

template <class T>
ChosenPreconditioner<T> choose(const CsrMatrix<T>& a, const SolverOptions& options, const TrialSolve<T>& trial,
                               std::span<const std::string> candidates) {
    if (candidates.empty()) throw Error("to choose a preconditioner needs candidates");
    require_square(a, "to choose a preconditioner");
    Buffer<T> made;
    const std::span<const T> b = trial_right_hand_side(a, trial, made);
    return try_all(a, b, options, trial.goal, candidates);
}

}  // namespace

template <class T>
PreconditionerChoice choose_preconditioner(const CsrMatrix<T>& a, const SolverOptions& options,
                                           const TrialSolve<T>& trial, std::span<const std::string> candidates) {
    const auto before = std::chrono::steady_clock::now();
    auto chosen = choose<T>(a, options, trial, candidates);
    chosen.choice.seconds = seconds_since(before) - chosen.setup_seconds;
    return std::move(chosen.choice);
}

template <class T>
ChosenPreconditioner<T> choose_and_make_preconditioner(const CsrMatrix<T>& a, const SolverOptions& options,
                                                       const TrialSolve<T>& trial) {
    const auto before = std::chrono::steady_clock::now();
    const auto candidates = preconditioner_candidates(a);
    auto chosen = choose<T>(a, options, trial, candidates);
    chosen.choice.seconds = seconds_since(before) - chosen.setup_seconds;
    return chosen;
}

template <class T>
PreconditionerChoice choose_preconditioner(const CsrMatrix<T>& a, const SolverOptions& options,
                                           const TrialSolve<T>& trial) {
    return choose_and_make_preconditioner(a, options, trial).choice;
}

#define TILESPMV_INSTANTIATE(T)                                                                                \
    template PreconditionerChoice choose_preconditioner(const CsrMatrix<T>&, const SolverOptions&,             \
                                                        const TrialSolve<T>&, std::span<const std::string>);   \
    template ChosenPreconditioner<T> choose_and_make_preconditioner(const CsrMatrix<T>&, const SolverOptions&, \
                                                                    const TrialSolve<T>&);                     \
    template PreconditionerChoice choose_preconditioner(const CsrMatrix<T>&, const SolverOptions&,             \
                                                        const TrialSolve<T>&);
TILESPMV_INSTANTIATE(double)
TILESPMV_INSTANTIATE(float)

}  // namespace tilespmv::solver
