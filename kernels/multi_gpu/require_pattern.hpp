#pragma once

#include "kernels/multi_gpu/halo_plan.hpp"

namespace tilespmv::multi_gpu {

/// Throws `Error` unless `a` has the pattern of the matrix that `m` was made of. In parallel.
template <Value V>
void require_pattern(const CsrMatrix<V>& a, const HaloPlan& plan, const RankMatrix<V>& m);

}  // namespace tilespmv::multi_gpu
