#pragma once

#include <cstddef>

#include "selector/models/probe.hpp"

namespace tilespmv::cuda {

/// What was measured on the current GPU: for a profile of it, that of the user's cache or the one that the library
/// carries, else here, once a process, in a few hundredths of a second. Throws as `require_device`.
const Probe& this_probe();

/// Attributes of the current GPU, and its rates and launches, measured; rates stay 0 where no memory is left. Throws as
/// `require_device`.
Probe measure_probe();

/// The current GPU as `auto` sees it, for values of so many bytes, with its own figures of memory and launches. Throws
/// as `require_device`.
Gpu gpu_to_choose_for(std::size_t value_bytes);

}  // namespace tilespmv::cuda
