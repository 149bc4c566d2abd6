#pragma once

#include <cuda/atomic>

namespace tilespmv::cuda {

/// For all threads of a block: whether these are the last of `expected` that come here, so that they see what the
/// others wrote before. `arrivals` is 0 before the first come and after the last have; `shared` is in shared memory.
inline __device__ bool are_last(unsigned& arrivals, unsigned expected, bool& shared) {
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
