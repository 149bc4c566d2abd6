#pragma once

#include <vector>

#include "kernels/registry.hpp"
#include "selector/auto/features_of.hpp"
#include "selector/auto/rank_operators.hpp"

namespace tilespmv {

/// `rank_operators`, with the operators for values of V that a program registered and that predict themselves. Throws
/// `Error` for a prediction that is no time.
template <Value V>
std::vector<RankedOperator> rank_all_operators(OperatorQuestion question);

/// What `auto` chooses from for a matrix of this pattern and so many products, on the CPU or on the current GPU. Throws
/// `Error`, `unavailable` without a GPU.
template <Value V>
std::vector<RankedOperator> rank_on_this_machine(const PatternView& a, Backend backend, offset_t products = 0);

}  // namespace tilespmv
