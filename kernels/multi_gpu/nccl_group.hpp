#pragma once

#include <memory>

#include "kernels/multi_gpu/communicator.hpp"

namespace tilespmv::multi_gpu {

/// Ranks with a GPU each, in the memory of which they exchange values.
class DeviceGroup {
public:
    DeviceGroup() = default;
    DeviceGroup(const DeviceGroup&) = delete;
    DeviceGroup& operator=(const DeviceGroup&) = delete;
    virtual ~DeviceGroup() = default;

    /// Of one rank, for its thread, whose current GPU is that of the rank; lives as long as the group. Its operations
    /// can be captured into a graph once they have run. Outside of a capture they return when they are complete: no
    /// kernel is loaded while a GPU waits for another one, which the driver may not survive.
    [[nodiscard]] virtual Communicator& communicator(int rank) = 0;
    /// Ends what ranks wait for, from any thread. The group is of no more use.
    virtual void abort() noexcept = 0;
};

/// GPUs 0 .. gpus - 1 by NCCL, without NVLink multicast (NCCL_NVLS_ENABLE=0 unless the environment says otherwise).
/// Throws `Error`, `unavailable` in a build without
/// NCCL, or where its library cannot be loaded.
std::unique_ptr<DeviceGroup> make_nccl_group(int gpus);

}  // namespace tilespmv::multi_gpu
