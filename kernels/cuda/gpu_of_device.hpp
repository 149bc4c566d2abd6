#pragma once

#include <cstddef>

#include "kernels/cuda/device.hpp"
#include "selector/tuning.hpp"

namespace tilespmv::cuda {

/// What `auto` goes by on this device, for values of so many bytes: its own L2 cache, whichever GPU its other figures
/// are of.
inline Gpu gpu_of(const DeviceInfo& device, std::size_t value_bytes) {
    Gpu gpu{device.multiprocessors, device.max_warps_per_multiprocessor,
            tuning_for(device.compute_capability, value_bytes)};
    gpu.tuning.memory.l2_bytes = static_cast<double>(device.l2_bytes);
    return gpu;
}

}  // namespace tilespmv::cuda
