#pragma once

#include <cstddef>
#include <cstdint>

#include "tile/csr.hpp"
#include "tile/types.hpp"

namespace tilespmv {

/// What products that are timed multiply, in trials and in the benchmark: `size` values in [0.5, 1.5), the same on
/// every machine. Products of zeros take less power than those that a user has, which may bound a GPU. None of these
/// values underflows, and no row of a positive matrix cancels.
template <Value V>
Buffer<V> trial_x(index_t size) {
    constexpr std::uint32_t kMultiplier = 2654435761u;  // Knuth's multiplicative hash
    Buffer<V> x(static_cast<std::size_t>(size));
    for (index_t i = 0; i < size; ++i) {
        x[i] = static_cast<V>(0.5 + static_cast<std::uint32_t>(i) * kMultiplier * 0x1p-32);
    }
    return x;
}

}  // namespace tilespmv
