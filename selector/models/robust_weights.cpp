#include "selector/models/robust_weights.hpp"

#include <algorithm>
#include <cmath>

namespace tilespmv {

std::vector<double> robust_weights(std::span<const double> errors) {
    constexpr double kTuning = 2.385;     // 95% of the efficiency of least squares if errors are normal
    constexpr double kOfNormal = 1.483;   // standard deviation over median absolute deviation
    constexpr double kLeastScale = 1e-3;  // what clocks tell apart
    if (errors.empty()) return {};
    std::vector<double> sizes;
    for (const double error : errors) sizes.push_back(std::abs(error));
    auto middle = sizes.begin() + static_cast<std::ptrdiff_t>(sizes.size() / 2);
    std::ranges::nth_element(sizes, middle);
    const double scale = kTuning * std::max(kOfNormal * *middle, kLeastScale);
    std::vector<double> weights;
    for (const double error : errors) weights.push_back(1 / (1 + (error / scale) * (error / scale)));
    return weights;
}

}  // namespace tilespmv
