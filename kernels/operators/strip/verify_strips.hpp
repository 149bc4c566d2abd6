#pragma once

#include "kernels/operators/strip/strip_matrix.hpp"

namespace tilespmv {

/// Checks strips of unknown origin against everything that `StripMatrix` and `Strips` promise, so that code that
/// trusts them stays inside its buffers and inside rows x cols: sizes, runs, that every tile row is one strip or in
/// `rest`, every slot of every pattern, `rest`, the number of nonzeros, and that all bits of holes and of what is left
/// over are 0, since kernels multiply holes. Other values may be anything. Runs in parallel over runs. Throws `Error`
/// naming the first broken run, tile row or row, and how.
template <Value V>
void validate(const StripMatrix<V>& m);

}  // namespace tilespmv
