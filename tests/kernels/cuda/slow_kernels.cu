#include "tests/kernels/cuda/slow_kernels.hpp"

#include "kernels/cuda/error.hpp"

namespace tilespmv::testing {
namespace {

constexpr int kThreads = 128;

template <bool kLetOthersStart>
__global__ void copy(const double* from, double* to, int size) {
#if __CUDA_ARCH__ >= 900
    if (kLetOthersStart) cudaTriggerProgrammaticLaunchCompletion();
#endif
    for (int i = 0; i < 200; ++i) __nanosleep(1000);
    const int i = static_cast<int>(blockIdx.x) * kThreads + static_cast<int>(threadIdx.x);
    if (i < size) to[i] = from[i];
}

template <bool kLetOthersStart>
void launch(const double* from, double* to, int size, cudaStream_t stream) {
    const auto blocks = static_cast<unsigned>((size + kThreads - 1) / kThreads);
    copy<kLetOthersStart><<<blocks, kThreads, 0, stream>>>(from, to, size);
    TILESPMV_CUDA(cudaGetLastError());
}

}  // namespace

void copy_slowly(const double* from, double* to, int size, cudaStream_t stream) {
    launch<false>(from, to, size, stream);
}

void copy_slowly_letting_others_start(const double* from, double* to, int size, cudaStream_t stream) {
    launch<true>(from, to, size, stream);
}

}  // namespace tilespmv::testing
