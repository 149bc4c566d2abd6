#pragma once

#include <functional>
#include <span>
#include <string>
#include <vector>

#include "kernels/solver/choose_preconditioner.hpp"
#include "tile/csr.hpp"

/// How preconditioners are tried and compared, wherever the system is.
namespace tilespmv::solver {

/// Unknowns a node: the most rows, up to 8, of which 9 groups of 10 share their columns; 1 if there are none.
template <class T>
int unknowns_a_node(const CsrMatrix<T>& a);

/// What preconditioners are tried on: `trial.b`, or where there is none, or x = 0 solves for it, which all of them do,
/// `made`, which becomes A times 1.5, 1.2, 0.9, 0.6, 1.4 ...: as far as A lets it, neither smooth nor zero. Throws
/// `Error` for a b of another size than A and for values that are not finite.
template <class T>
std::span<const T> trial_right_hand_side(const CsrMatrix<T>& a, const TrialSolve<T>& trial, Buffer<T>& made);

/// Lets a solver iterate and sets what that showed, with the predicted time. The trial has its setup time already.
void run_trial(PreconditionerTrial& trial, const SolveOptions& goal,
               const std::function<SolveReport(const SolveOptions&)>& solve);

/// Sets which one is taken, and why, from the trials.
void decide(PreconditionerChoice& choice);

/// The trial of the one that is taken; null if there is none.
const PreconditionerTrial* taken(const PreconditionerChoice& choice);

}  // namespace tilespmv::solver
