#pragma once

#include <cstdint>
#include <vector>

#include "tile/types.hpp"

namespace tilespmv::testing {

/// What the device makes of numbers of 16 bits, given as their bits.
template <class V>
std::vector<float> widen_on_device(const std::vector<std::uint16_t>& bits);

/// The bits of what the device rounds floats to.
template <class V>
std::vector<std::uint16_t> round_on_device(const std::vector<float>& values);

}  // namespace tilespmv::testing
