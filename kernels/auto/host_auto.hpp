#pragma once

#include "kernels/operator.hpp"

namespace tilespmv::cpu {

/// What a trial finds: the least time of some products of `trial_x`, after one that warms up.
template <Value V>
double seconds_of_trial(const Operator<V>& op);

}  // namespace tilespmv::cpu
