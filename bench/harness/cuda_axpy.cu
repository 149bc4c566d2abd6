#include "bench/harness/cuda_axpy.hpp"

#include <cstdint>

#include "kernels/cuda/error.hpp"

namespace tilespmv::bench {
namespace {

constexpr int kThreads = 256;

template <class V>
__global__ void axpy_kernel(V* x, const V* z, std::int64_t size) {
    const std::int64_t i = std::int64_t{blockIdx.x} * kThreads + threadIdx.x;
    if (i < size) x[i] = static_cast<V>(0.5 * static_cast<double>(x[i]) + 0.5 * static_cast<double>(z[i]));
}

}  // namespace

template <Value V>
void launch_axpy(cuda::DeviceSpan<V> x, cuda::DeviceSpan<const V> z, cudaStream_t stream) {
    const auto size = static_cast<std::int64_t>(x.size());
    if (size == 0) return;
    axpy_kernel<<<static_cast<unsigned>(div_up(size, kThreads)), kThreads, 0, stream>>>(x.data(), z.data(), size);
    TILESPMV_CUDA(cudaGetLastError());
}

#define TILESPMV_INSTANTIATE(V) template void launch_axpy(cuda::DeviceSpan<V>, cuda::DeviceSpan<const V>, cudaStream_t);
TILESPMV_FOR_EACH_VALUE(TILESPMV_INSTANTIATE)

}  // namespace tilespmv::bench
