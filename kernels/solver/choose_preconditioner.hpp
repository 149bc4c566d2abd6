#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "kernels/solver/preconditioner_choice.hpp"
#include "kernels/solver/solve.hpp"

namespace tilespmv::solver {

/// Those worth a trial: none, jacobi, block-jacobi with as many unknowns as rows next to each other share their
/// columns, if they do, and ssor-ai of both orders, in the form that takes the least predicted time to make and to
/// apply 1,000 times: forms are the same M, so that models of products choose among them, and the trial only tells
/// whether it serves A.
template <class T>
std::vector<PreconditionerCandidate<T>> preconditioner_candidates(const CsrMatrix<T>& a, Backend backend);

/// Tries each candidate on A x = b, for 40 iterations and as many more, up to 400, until ||r|| has fallen by ten, and
/// takes the one of the least predicted time to the tolerance of `trial.goal`. If none may be taken, the choice is
/// jacobi, or none where that cannot be made, and the reason says so. Of `options`, `preconditioner` does not count.
/// A: on the host, as a `Solver` takes it. Measures times: the choice may differ from run to run. Throws `Error` for a
/// b of another size, without candidates, and what is no fault of a candidate's as `Solver` does (`usage`,
/// `unavailable`).
template <class T>
PreconditionerChoice choose_preconditioner(const CsrMatrix<T>& a, const SolverOptions& options,
                                           const TrialSolve<T>& trial,
                                           std::span<const PreconditionerCandidate<T>> candidates);
/// From `preconditioner_candidates`.
template <class T>
PreconditionerChoice choose_preconditioner(const CsrMatrix<T>& a, const SolverOptions& options,
                                           const TrialSolve<T>& trial = {});

/// A choice with its M, so that nobody makes it a second time.
template <class T>
struct ChosenPreconditioner {
    PreconditionerChoice choice;
    std::shared_ptr<Preconditioner<T>> made;  ///< null if it was not among those tried
    double setup_seconds = 0;                 ///< that it took to make it
};
/// From `preconditioner_candidates`.
template <class T>
ChosenPreconditioner<T> choose_and_make_preconditioner(const CsrMatrix<T>& a, const SolverOptions& options,
                                                       const TrialSolve<T>& trial = {});

}  // namespace tilespmv::solver
