#pragma once

#include <cstddef>
#include <cstdint>

#include "kernels/cuda/device_buffer.hpp"

namespace tilespmv::cuda {

/// What `load_once` tells the second-level cache of the current GPU about lines of a matrix: `kept` (0 to 1) of them
/// stay as other data do, so that the next product finds them there; the others are the first to leave. In whole
/// sixteenths, since one too many takes the place of x; 0 where the code that runs is for less than compute
/// capability 8.0, which has no such hints. The first time that a thread asks for one it waits for the stream.
std::uint64_t make_cache_policy(double kept, const DeviceContext& on);

/// Bytes of the second-level cache of the current GPU.
std::size_t l2_bytes();

}  // namespace tilespmv::cuda
