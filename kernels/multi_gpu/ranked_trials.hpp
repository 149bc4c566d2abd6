#pragma once

#include <span>
#include <vector>

#include "kernels/multi_gpu/ranked_state.hpp"
#include "kernels/solver/choose_preconditioner.hpp"

/// Trials of preconditioners over ranks.
namespace tilespmv::multi_gpu {

/// Sets the choice of the ranks and, if it was tried, the preconditioner of each; their matrices are there. Tries what
/// `solver::choose_preconditioner` does. One that a rank has none of is refused. Throws `Error` for what is no fault of
/// a preconditioner's; the ranks are of no more use then.
template <class T>
void choose_preconditioner_on_ranks(RankedState<T>& state, const CsrMatrix<T>& a, const solver::TrialSolve<T>& trial);

}  // namespace tilespmv::multi_gpu
