#pragma once

#include <cstddef>
#include <string>

namespace tilespmv::cuda {

/// What matters of a GPU, as CUDA gives it.
struct DeviceInfo {
    std::string name;            ///< "NVIDIA H200"
    int compute_capability = 0;  ///< 90 for 9.0
    int compiled_for = 0;        ///< capability that the code was compiled for; lower if the driver compiles it further
    int multiprocessors = 0;
    int max_warps_per_multiprocessor = 0;
    int registers_per_multiprocessor = 0;
    std::size_t shared_bytes_per_multiprocessor = 0;
    std::size_t l2_bytes = 0;      ///< of the second-level cache
    std::size_t memory_bytes = 0;  ///< all of it, free or not
    int driver_version = 0;        ///< 13000 for 13.0
    int runtime_version = 0;       ///< of CUDA, the same way
};

/// The current GPU; throws `Error` with code `unavailable` and one line that says why none is available: no
/// driver, no GPU, a driver older than this build's CUDA runtime, or a GPU that this build has no code for.
DeviceInfo require_device();

}  // namespace tilespmv::cuda
