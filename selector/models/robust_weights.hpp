#pragma once

#include <span>
#include <vector>

namespace tilespmv {

/// What each of some relative errors counts for in the next round of a fit: 1 for one that is small beside their
/// median, the less the larger it is (Cauchy's weights, Holland and Welsch 1977).
std::vector<double> robust_weights(std::span<const double> errors);

}  // namespace tilespmv
