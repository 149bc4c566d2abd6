#pragma once

#include "kernels/cuda/load.cuh"

/// Programmatic dependent launch: a product starts while the kernel before it on the stream still runs, loads what it
/// has of the matrix, and then waits for that kernel.
namespace tilespmv::cuda {

/// Waits until all kernels before on the stream are complete, then lets the next one start. Before it a kernel may read
/// its matrix, nothing that a kernel before may have written (x, y, workspace), and writes nothing at all. Every thread
/// that reads or writes such things calls it, and at least one of each block; it may be called again.
/// The next kernel starts no earlier, so whatever was on the stream two kernels before is complete for it.
inline __device__ void wait_for_stream() {
#if __CUDA_ARCH__ >= 900
    cudaGridDependencySynchronize();
    cudaTriggerProgrammaticLaunchCompletion();
#endif
}

/// A value of x, after `wait_for_stream`: not by the read-only path, which wants memory that nobody writes while the
/// kernel runs.
template <class V>
__device__ V load_x(const V* p) {
    return *p;
}

}  // namespace tilespmv::cuda
