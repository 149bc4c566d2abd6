#pragma once

#include <cmath>
#include <cstddef>

#include "selector/auto/matrix_features.hpp"

namespace tilespmv {

/// What operators accumulate in if nobody asks for anything else.
constexpr std::size_t default_sum_bytes(std::size_t value_bytes) { return value_bytes >= 4 ? 8 : 4; }

/// How far measurements with some sizes are from others: first by values, then by sums.
inline double distance(const NumberSizes& a, const NumberSizes& b) {
    constexpr double kValues = 16;  ///< over any difference of sums
    const auto factors = [](std::size_t p, std::size_t q) {
        return std::abs(std::log2(static_cast<double>(p) / static_cast<double>(q)));
    };
    return kValues * factors(a.value, b.value) + factors(a.sum, b.sum);
}

}  // namespace tilespmv
