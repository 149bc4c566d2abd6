#pragma once

#include <string>

#include "tile/error.hpp"

namespace tilespmv::cuda {

/// Calls f.operator()<N>() for the one N of `kValues` that equals `value`. Throws `Error` if there is none.
template <int... kValues, class F>
void with_constant(int value, F&& f) {
    const bool found = ((value == kValues ? (f.template operator()<kValues>(), true) : false) || ...);
    if (!found) throw Error("no kernel was compiled for the choice " + std::to_string(value));
}

}  // namespace tilespmv::cuda
