#pragma once

#include <cuda_runtime_api.h>

namespace tilespmv::cuda {

/// What identifies the current context for as long as the program runs, also after a reset of the GPU. Throws `Error`.
unsigned long long context_id();

/// Whether kernels may start before the one before them on the stream is complete: the current GPU can do so (compute
/// capability 9.0 or above), and this build's code for it waits where it must.
bool has_dependent_launch();

/// A kernel of one parameter and the threads that run it.
struct KernelLaunch {
    const void* kernel = nullptr;  ///< as the runtime takes it
    unsigned blocks = 0;
    unsigned threads = 0;
    unsigned shared_bytes = 0;  ///< dynamic ones
};

/// Launches it with `parameters`, a struct of the kernel's type, early where the GPU can do that. It calls the driver:
/// a launch by the runtime takes 0.1 to 0.5 us more than 2.3 ("Products that start early" in `bench/NOTES.md`). Throws
/// `Error` if it fails.
void launch_dependent(const KernelLaunch& launch, const void* parameters, cudaStream_t stream);

/// Has later kernels on the stream start only after everything before is complete, which they may then read before they
/// wait for the stream: new values of a matrix.
void launch_barrier(cudaStream_t stream);

}  // namespace tilespmv::cuda
