#pragma once

#include <functional>
#include <span>
#include <string>

#include "kernels/auto/tune_cache.hpp"
#include "selector/auto/rank_operators.hpp"

namespace tilespmv {

/// The specification that takes the least time for the expected products (0: so many that preparation does not count),
/// of the first three of `ranked` that can be made: by the times in the cache, or measured by `seconds_of`, which gets
/// a specification, and remembered there. One that cannot be made (`Error`) is passed over, with a warning if its
/// options are wrong, unless none can: then it throws that. `own` are operators that the program registered, which are
/// tried beside those three; where nothing is predicted of one, its preparation counts as nothing.
std::string fastest_by_trial(std::span<const RankedOperator> ranked, std::span<const std::string> own,
                             offset_t products, const TuneCache& cache, const TuneKey& key,
                             const std::function<double(const std::string&)>& seconds_of);

}  // namespace tilespmv
