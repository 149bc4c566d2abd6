// Several GPUs in a build without NCCL.
#include "kernels/multi_gpu/nccl_group.hpp"
#include "tile/error.hpp"

namespace tilespmv::multi_gpu {

std::vector<std::unique_ptr<Communicator>> connect_by_nccl(int) {
    throw Error(
        "GPUs that do not reach each other's memory need NCCL, which this build does not have; install it and "
        "configure again with -DNCCL_ROOT=DIRECTORY, or take one GPU",
        ExitCode::unavailable);
}

}  // namespace tilespmv::multi_gpu
