#pragma once

#include <cstddef>

#include "selector/tuning.hpp"

namespace tilespmv::cuda {

/// The current GPU with its tuning for values of `value_bytes` bytes; throws as `require_device`. Only in builds with
/// CUDA.
Gpu this_gpu(std::size_t value_bytes);

}  // namespace tilespmv::cuda
