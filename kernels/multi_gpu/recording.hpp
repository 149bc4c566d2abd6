#pragma once

#include <cuda_runtime_api.h>

#include "kernels/cuda/device_buffer.hpp"

namespace tilespmv::multi_gpu {

/// Waits for a stream, unless what is launched on it is being recorded. What waits for other GPUs is followed by it: a
/// kernel that is loaded, or memory that is allocated, while a GPU waits for another one may stop both.
inline void complete_unless_recorded(cudaStream_t stream) {
    cudaStreamCaptureStatus status = cudaStreamCaptureStatusNone;
    TILESPMV_CUDA(cudaStreamIsCapturing(stream, &status));
    if (status == cudaStreamCaptureStatusNone) TILESPMV_CUDA(cudaStreamSynchronize(stream));
}

}  // namespace tilespmv::multi_gpu
