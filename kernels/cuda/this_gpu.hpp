#pragma once

#include <cstddef>

#include "selector/tuning.hpp"

namespace tilespmv::cuda {

/// The current GPU with its tuning for values of `value_bytes` bytes; throws as `require_device`.
Gpu this_gpu(std::size_t value_bytes);

/// The tuning of the current GPU, or without one that of those without measurements, so that wrong options are refused
/// as such on every machine. Only in builds with CUDA.
const Tuning& this_tuning(std::size_t value_bytes);

}  // namespace tilespmv::cuda
