#include "tests/kernels/cuda/slow_kernels.hpp"

#include "kernels/cuda/device_buffer.hpp"
#include "tile/types.hpp"

namespace tilespmv::testing {
namespace {

constexpr int kThreads = 128;

template <class V, bool kLetOthersStart>
__global__ void copy(const V* from, V* to, int size) {
#if __CUDA_ARCH__ >= 900
    if (kLetOthersStart) cudaTriggerProgrammaticLaunchCompletion();
#endif
    for (int i = 0; i < 200; ++i) __nanosleep(1000);
    const int i = static_cast<int>(blockIdx.x) * kThreads + static_cast<int>(threadIdx.x);
    if (i < size) to[i] = from[i];
}

template <class V, bool kLetOthersStart>
void launch(const V* from, V* to, int size, cudaStream_t stream) {
    const auto blocks = static_cast<unsigned>((size + kThreads - 1) / kThreads);
    copy<V, kLetOthersStart><<<blocks, kThreads, 0, stream>>>(from, to, size);
    TILESPMV_CUDA(cudaGetLastError());
}

__device__ int architecture;

__global__ void write_architecture() {
#if defined(__CUDA_ARCH__)
    architecture = __CUDA_ARCH__;
#endif
}

}  // namespace

int architecture_of_kernels() {
    write_architecture<<<1, 1>>>();
    int found = 0;
    TILESPMV_CUDA(cudaMemcpyFromSymbol(&found, architecture, sizeof found));
    return found;
}

template <class V>
void copy_slowly(const V* from, V* to, int size, cudaStream_t stream) {
    launch<V, false>(from, to, size, stream);
}

template <class V>
void copy_slowly_letting_others_start(const V* from, V* to, int size, cudaStream_t stream) {
    launch<V, true>(from, to, size, stream);
}

#define TILESPMV_INSTANTIATE(V)                                 \
    template void copy_slowly(const V*, V*, int, cudaStream_t); \
    template void copy_slowly_letting_others_start(const V*, V*, int, cudaStream_t);
TILESPMV_FOR_EACH_VALUE(TILESPMV_INSTANTIATE)

}  // namespace tilespmv::testing
