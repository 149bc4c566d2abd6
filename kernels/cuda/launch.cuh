#pragma once

#include <cuda_runtime.h>

#include "kernels/cuda/error.hpp"
#include "tile/types.hpp"

namespace tilespmv::cuda {

/// Launches `kernel` with one parameter struct and as many bytes of dynamic shared memory; nothing if there are no
/// blocks.
template <class Parameters>
void launch(void (*kernel)(Parameters), std::int64_t blocks, int threads, const Parameters& parameters,
            cudaStream_t stream, std::size_t shared_bytes = 0) {
    if (blocks == 0) return;
    kernel<<<static_cast<unsigned>(blocks), static_cast<unsigned>(threads), shared_bytes, stream>>>(parameters);
    TILESPMV_CUDA(cudaGetLastError());
}

}  // namespace tilespmv::cuda
