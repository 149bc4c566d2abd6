#pragma once

#include <vector>

#include "kernels/auto/auto_options.hpp"
#include "kernels/registry.hpp"

namespace tilespmv {

/// What `auto` chooses from for a matrix of this pattern, on the CPU or on the current GPU, with sums in float64: times
/// are those predicted by the profile that decides there, or by the rules. Throws `Error`, `unavailable` without a GPU.
std::vector<RankedOperator> rank_on_this_machine(const PatternView& a, Backend backend,
                                                 const AutoOptions& options = {});

}  // namespace tilespmv
