#pragma once

#include <cstddef>

#include <cuda_runtime_api.h>

namespace tilespmv::cuda {

/// Copies host memory to the current GPU in the order of the stream, as cudaMemcpyAsync does; `from` must stay until
/// the stream has passed. Large arrays that are not pinned go through pinned memory of this library, 32 MiB for each
/// GPU, which all threads fill while it is copied: about 6 times as fast as the driver does it with one
/// (`bench/NOTES.md`, "Uploads"). May be called by several threads. Not to be captured into a graph. Throws `Error`.
void copy_to_device(void* to, const void* from, std::size_t bytes, cudaStream_t stream);

}  // namespace tilespmv::cuda
