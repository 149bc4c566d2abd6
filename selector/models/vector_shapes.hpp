#pragma once

#include <cstddef>

#include "selector/models/launch_shape.hpp"

namespace tilespmv {

/// How a kernel over vectors of n values of `value_bytes` (4 or 8) is launched where no model has chosen: small vectors
/// are spread over all multiprocessors before a thread gets more than 16 bytes; reductions, whose last block adds up
/// what the others leave, have a limited number of blocks.
LaunchShape default_vector_shape(bool reduces, std::size_t n, std::size_t value_bytes, int multiprocessors);

}  // namespace tilespmv
