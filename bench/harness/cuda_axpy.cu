#include "bench/harness/cuda_axpy.hpp"

#include <cstdint>

#include "kernels/cuda/dependent_launch.cuh"
#include "kernels/cuda/launch.cuh"

namespace tilespmv::bench {
namespace {

constexpr std::int64_t kThreads = 256;

template <class V>
struct Axpy {
    V* x;
    const V* z;
    std::int64_t size;
};

template <class V>
__global__ void axpy_kernel(const __grid_constant__ Axpy<V> p) {
    const std::int64_t i = std::int64_t{blockIdx.x} * kThreads + threadIdx.x;
    cuda::wait_for_stream();
    if (i < p.size) p.x[i] = static_cast<V>(0.5 * static_cast<double>(p.x[i]) + 0.5 * static_cast<double>(p.z[i]));
}

}  // namespace

template <Value V>
void launch_axpy(cuda::DeviceSpan<V> x, cuda::DeviceSpan<const V> z, cudaStream_t stream) {
    const auto size = static_cast<std::int64_t>(x.size());
    cuda::launch_dependent(axpy_kernel<V>, div_up(size, kThreads), kThreads, Axpy<V>{x.data(), z.data(), size}, stream);
}

#define TILESPMV_INSTANTIATE(V) template void launch_axpy(cuda::DeviceSpan<V>, cuda::DeviceSpan<const V>, cudaStream_t);
TILESPMV_FOR_EACH_VALUE(TILESPMV_INSTANTIATE)

}  // namespace tilespmv::bench
