#pragma once

#include "kernels/cuda/warp.cuh"

namespace tilespmv::cuda {

/// kThreadCount consecutive threads of a block, whole warps, which work together; kTeams such teams share a block, each
/// for itself. A GPU begins a block in 0.6 ns at best, whatever its size, so that many small ones keep it waiting.
template <int kThreadCount, int kTeams>
struct Team {
    static constexpr int kThreads = kThreadCount;
    static_assert(kThreads % kWarpSize == 0 && (kTeams == 1 || kTeams == 2));

    /// The thread's place in its team.
    static __device__ int thread() {
        const auto thread = static_cast<int>(threadIdx.x);
        return kTeams == 1 ? thread : thread % kThreads;
    }
    /// The team's place in its block.
    static __device__ int rank() { return kTeams == 1 ? 0 : static_cast<int>(threadIdx.x) / kThreads; }
    /// Waits until all threads of the team are here; sees what they wrote before.
    static __device__ void sync() {
        if constexpr (kTeams == 1) {
            __syncthreads();
        } else if (rank() == 0) {
            sync_at<0>();
        } else {
            sync_at<1>();
        }
    }

private:
    /// By a barrier of hardware whose number the compiler knows: for one that it does not know, it reserves all 16, and
    /// a multiprocessor holds a few blocks only.
    template <int kBarrier>
    static __device__ void sync_at() {
        asm volatile("bar.sync %0, %1;" ::"n"(kBarrier), "n"(kThreads) : "memory");
    }
};

}  // namespace tilespmv::cuda
