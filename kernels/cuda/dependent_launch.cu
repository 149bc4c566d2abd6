#include "kernels/cuda/dependent_launch.hpp"

#include <array>
#include <atomic>

#include "kernels/cuda/error.hpp"
#include "kernels/cuda/probe.hpp"

namespace tilespmv::cuda {
namespace {

/// Starts after all before it, and nothing after it starts before it ends: it neither waits nor lets others start.
__global__ void barrier() {}

/// All kernels are built for the same architectures, so that any of them tells for which this GPU has code.
bool ask(int device) {
    int major = 0;
    TILESPMV_CUDA(cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, device));
    cudaFuncAttributes code{};
    TILESPMV_CUDA(cudaFuncGetAttributes(&code, probe_kernel()));
    return major >= 9 && code.ptxVersion >= 90;
}

}  // namespace

bool has_dependent_launch() {
    enum : signed char { unknown, no, yes };
    static std::array<std::atomic<signed char>, 64> known{};
    int device = 0;
    TILESPMV_CUDA(cudaGetDevice(&device));
    if (device >= static_cast<int>(known.size())) return ask(device);
    std::atomic<signed char>& of = known[static_cast<std::size_t>(device)];
    if (of == unknown) of = ask(device) ? yes : no;
    return of == yes;
}

void launch_barrier(cudaStream_t stream) {
    if (!has_dependent_launch()) return;
    barrier<<<1, 1, 0, stream>>>();
    TILESPMV_CUDA(cudaGetLastError());
}

}  // namespace tilespmv::cuda
