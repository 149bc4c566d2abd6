#pragma once

#include <memory>
#include <vector>

#include "kernels/multi_gpu/communicator.hpp"

namespace tilespmv::multi_gpu {

/// For each of the GPUs 0 .. gpus - 1 its communicator by NCCL, without NVLink multicast (NCCL_NVLS_ENABLE=0 unless the
/// environment says otherwise), for the thread whose current GPU it is. Operations can be captured into a graph once
/// they have run. Outside of a capture they return when they are complete: no kernel is loaded while a GPU waits for
/// another one, which the driver may not survive. Throws `Error`, `unavailable` in a build without NCCL, or where its
/// library cannot be loaded.
std::vector<std::unique_ptr<Communicator>> connect_by_nccl(int gpus);

}  // namespace tilespmv::multi_gpu
