#include "kernels/cuda/combine.hpp"

#include "kernels/cuda/error.hpp"
#include "kernels/cuda/tuning.hpp"

namespace tilespmv::cuda {
namespace {

constexpr int kBlockThreads = kElementwiseThreads;

struct Factor {
    double value;
    const double* where;
    [[nodiscard]] __device__ double get() const { return where == nullptr ? value : *where; }
};

template <class V>
__global__ void combine(Factor alpha, const V* sums, Factor beta, V* y, std::int64_t size) {
    const std::int64_t i = std::int64_t{blockIdx.x} * kBlockThreads + threadIdx.x;
    if (i >= size) return;
    const double a = alpha.get();
    const double b = beta.get();
    double result = a == 0 ? 0 : a * static_cast<double>(sums[i]);
    if (b != 0) result += b * static_cast<double>(y[i]);
    y[i] = static_cast<V>(result);
}

}  // namespace

template <class V>
void launch_combine(const Scalar& alpha, const V* sums, const Scalar& beta, V* y, std::int64_t size,
                    cudaStream_t stream) {
    if (size == 0) return;
    const auto blocks = static_cast<unsigned>(div_up(size, kBlockThreads));
    combine<<<blocks, kBlockThreads, 0, stream>>>(Factor{alpha.value(), alpha.where()}, sums,
                                                  Factor{beta.value(), beta.where()}, y, size);
    TILESPMV_CUDA(cudaGetLastError());
}

#define TILESPMV_INSTANTIATE(V) \
    template void launch_combine(const Scalar&, const V*, const Scalar&, V*, std::int64_t, cudaStream_t);
TILESPMV_FOR_EACH_VALUE(TILESPMV_INSTANTIATE)

}  // namespace tilespmv::cuda
