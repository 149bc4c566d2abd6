#include "kernels/cuda/combine.hpp"

#include "kernels/cuda/device_buffer.hpp"
#include "kernels/cuda/factor.cuh"
#include "kernels/cuda/tuning.hpp"

namespace tilespmv::cuda {
namespace {

constexpr int kBlockThreads = kElementwiseThreads;

template <class V>
__global__ void combine(Factor alpha, const V* sums, Factor beta, V* y, std::int64_t step, std::int64_t size) {
    const std::int64_t i = std::int64_t{blockIdx.x} * kBlockThreads + threadIdx.x;
    if (i >= size) return;
    V& to = y[i * step];
    const double a = alpha.get();
    const double b = beta.get();
    double result = a == 0 ? 0 : a * static_cast<double>(sums[i]);
    if (b != 0) result += b * static_cast<double>(to);
    to = static_cast<V>(result);
}

template <class V>
__global__ void gather(const V* from, std::int64_t step, V* to, std::int64_t size) {
    const std::int64_t i = std::int64_t{blockIdx.x} * kBlockThreads + threadIdx.x;
    if (i < size) to[i] = from[i * step];
}

unsigned blocks_for(std::int64_t size) { return static_cast<unsigned>(div_up(size, kBlockThreads)); }

}  // namespace

template <class V>
void launch_combine(const Scalar& alpha, const V* sums, const Scalar& beta, V* y, std::int64_t size,
                    cudaStream_t stream, std::int64_t step) {
    if (size == 0) return;
    combine<<<blocks_for(size), kBlockThreads, 0, stream>>>(Factor(alpha), sums, Factor(beta), y, step, size);
    TILESPMV_CUDA(cudaGetLastError());
}

template <class V>
void launch_gather(const V* from, std::int64_t step, V* to, std::int64_t size, cudaStream_t stream) {
    if (size == 0) return;
    gather<<<blocks_for(size), kBlockThreads, 0, stream>>>(from, step, to, size);
    TILESPMV_CUDA(cudaGetLastError());
}

#define TILESPMV_INSTANTIATE(V)                                                                          \
    template void launch_combine(const Scalar&, const V*, const Scalar&, V*, std::int64_t, cudaStream_t, \
                                 std::int64_t);                                                          \
    template void launch_gather(const V*, std::int64_t, V*, std::int64_t, cudaStream_t);
TILESPMV_FOR_EACH_VALUE(TILESPMV_INSTANTIATE)

}  // namespace tilespmv::cuda
