#pragma once

#include <cuda_runtime_api.h>

namespace tilespmv::cuda {

/// Throws `Error` with the expression, file, line and CUDA's text unless `status` is success.
void check(cudaError_t status, const char* expression, const char* file, int line);

}  // namespace tilespmv::cuda

#define TILESPMV_CUDA(expression) ::tilespmv::cuda::check((expression), #expression, __FILE__, __LINE__)
