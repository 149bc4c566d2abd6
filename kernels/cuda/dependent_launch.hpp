#pragma once

#include <cuda_runtime_api.h>

namespace tilespmv::cuda {

/// Whether kernels may start before the one before them on the stream is complete: the current GPU can do so (compute
/// capability 9.0 or above), and this build's code for it waits where it must.
bool has_dependent_launch();

/// Has later kernels on the stream start only after everything before is complete, which they may then read before they
/// wait for the stream: new values of a matrix.
void launch_barrier(cudaStream_t stream);

}  // namespace tilespmv::cuda
