#include "kernels/cuda/probe.hpp"

#include "kernels/cuda/device_buffer.hpp"

namespace tilespmv::cuda {
namespace {

__global__ void probe() {}

}  // namespace

const void* probe_kernel() { return reinterpret_cast<const void*>(probe); }

int compiled_for() {
    cudaFuncAttributes code{};
    TILESPMV_CUDA(cudaFuncGetAttributes(&code, probe_kernel()));
    return code.ptxVersion;
}

}  // namespace tilespmv::cuda
