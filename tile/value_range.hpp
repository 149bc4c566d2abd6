#pragma once

#include <cmath>
#include <string>
#include <string_view>

#include "tile/types.hpp"

namespace tilespmv {

/// Whether a finite number rounds to infinity in `To`. No matrix gets such a value: whatever rounds numbers refuses it.
template <Value To, std::floating_point From>
bool leaves_range(From value) {
    return std::isfinite(value) && !std::isfinite(widened(static_cast<To>(value)));
}

/// What messages expect instead: "a number in the range of float32 (--values float64 has a larger one)".
std::string expected_range(std::string_view type);

/// Throws the `Error` for a value, `found`, out of the range of `type` at a row and column (from 0; messages count from
/// 1, as Matrix Market files do). `name` is that of the matrix, and may be empty.
[[noreturn]] void fail_range(std::string_view name, index_t row, index_t col, std::string_view found,
                             std::string_view type);

}  // namespace tilespmv
