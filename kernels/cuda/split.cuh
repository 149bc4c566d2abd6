#pragma once

#include <cuda/atomic>

namespace tilespmv::cuda {

/// All threads of a block, as `Team` has them.
struct WholeBlock {
    static __device__ int thread() { return static_cast<int>(threadIdx.x); }
    static __device__ void sync() { __syncthreads(); }
};

/// For all threads of a block or of a `Team`: whether these are the last of `expected` that come here, so that they see
/// what the others wrote before. `arrivals` is 0 before the first come and after the last have; `shared` is in shared
/// memory.
template <class Threads = WholeBlock>
__device__ bool are_last(unsigned& arrivals, unsigned expected, bool& shared) {
    Threads::sync();
    if (Threads::thread() == 0) {
        const ::cuda::atomic_ref<unsigned, ::cuda::thread_scope_device> arrived(arrivals);
        shared = arrived.fetch_add(1, ::cuda::memory_order_acq_rel) + 1 == expected;
        if (shared) arrived.store(0, ::cuda::memory_order_relaxed);
    }
    Threads::sync();
    return shared;
}

}  // namespace tilespmv::cuda
