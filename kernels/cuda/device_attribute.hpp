#pragma once

#include <cuda_runtime_api.h>

#include "kernels/cuda/device_buffer.hpp"

namespace tilespmv::cuda {

/// Of the current GPU. Throws `Error` if CUDA does.
inline int device_attribute(cudaDeviceAttr attribute) {
    int device = 0;
    int value = 0;
    TILESPMV_CUDA(cudaGetDevice(&device));
    TILESPMV_CUDA(cudaDeviceGetAttribute(&value, attribute, device));
    return value;
}

}  // namespace tilespmv::cuda
