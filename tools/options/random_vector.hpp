#pragma once

#include <cstddef>
#include <cstdint>

#include "tile/csr.hpp"
#include "tile/types.hpp"

namespace tilespmv::tools {

/// `size` values between -1 and 1, the same on every machine for the same seed.
template <Value V>
Buffer<V> random_vector(std::size_t size, std::uint64_t seed);

}  // namespace tilespmv::tools
