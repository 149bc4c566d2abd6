#pragma once

#include <cuda/atomic>

namespace tilespmv::cuda {

/// For a whole block: whether it is the last of `expected` blocks that come here, so that it sees what their threads
/// wrote before. `arrivals` is 0 before the first comes and after the last has; `shared` is in shared memory.
__device__ inline bool is_last_block(unsigned& arrivals, unsigned expected, bool& shared) {
    __syncthreads();
    if (threadIdx.x == 0) {
        const ::cuda::atomic_ref<unsigned, ::cuda::thread_scope_device> arrived(arrivals);
        shared = arrived.fetch_add(1, ::cuda::memory_order_acq_rel) + 1 == expected;
        if (shared) arrived.store(0, ::cuda::memory_order_relaxed);
    }
    __syncthreads();
    return shared;
}

}  // namespace tilespmv::cuda
