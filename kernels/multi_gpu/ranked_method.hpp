#pragma once

#include "kernels/multi_gpu/ranked_state.hpp"

namespace tilespmv::multi_gpu {

/// Sets the recurrence of all ranks, and why: the one that is asked for, or the one of the least predicted time.
/// Matrices and preconditioners of the ranks are there. Throws `Error`, `unavailable` without a GPU.
template <class T>
void choose_method(RankedState<T>& state);

}  // namespace tilespmv::multi_gpu
