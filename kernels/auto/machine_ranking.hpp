#pragma once

#include <vector>

#include "kernels/registry.hpp"
#include "selector/auto/rank_operators.hpp"

namespace tilespmv {

/// What `auto` chooses from for a matrix of this pattern and so many products, on the CPU or on the current GPU. Throws
/// `Error`, `unavailable` without a GPU.
std::vector<RankedOperator> rank_on_this_machine(const PatternView& a, Backend backend, offset_t products = 0);

}  // namespace tilespmv
