#pragma once

#include <span>
#include <vector>

#include "kernels/multi_gpu/ranked_state.hpp"
#include "kernels/solver/choose_preconditioner.hpp"

/// Trials of preconditioners over ranks.
namespace tilespmv::multi_gpu {

/// Sets the choice of the ranks and, if it was tried, the preconditioner of each; their matrices are there. Tries what
/// `solver::choose_preconditioner` does, with `ssor-ai` in the form that is predicted to be the fastest over all ranks.
/// One that a rank has none of is refused. Throws `Error` for what is no fault of a preconditioner's; the ranks are of
/// no more use then.
template <class T>
void choose_preconditioner_on_ranks(RankedState<T>& state, const CsrMatrix<T>& a, const solver::TrialSolve<T>& trial);

/// Forms of the same preconditioner on each rank, as those of all ranks, which wait for the slowest. The soonest first.
std::vector<solver::PreconditionerForm> forms_over_ranks(
    std::span<const std::vector<solver::PreconditionerForm>> of_ranks);

}  // namespace tilespmv::multi_gpu
