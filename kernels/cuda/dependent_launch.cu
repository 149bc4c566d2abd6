#include "kernels/cuda/dependent_launch.hpp"

#include <array>
#include <atomic>
#include <map>
#include <utility>

#include <cuda.h>
#include <cudaTypedefs.h>

#include "kernels/cuda/device_buffer.hpp"
#include "kernels/cuda/probe.hpp"

namespace tilespmv::cuda {
namespace {

/// Starts after all before it, and nothing after it starts before it ends: it neither waits nor lets others start.
__global__ void barrier() {}

/// Error codes of the runtime are those of the driver.
cudaError_t status_of(CUresult result) { return static_cast<cudaError_t>(result); }

/// A function of the driver, which is not there where a program is linked; `version` is that of its type.
template <class Function>
Function driver_function(const char* name, unsigned version) {
    void* function = nullptr;
    cudaDriverEntryPointQueryResult found{};
#if CUDART_VERSION >= 12050
    TILESPMV_CUDA(cudaGetDriverEntryPointByVersion(name, &function, version, cudaEnableDefault, &found));
#else
    TILESPMV_CUDA(cudaGetDriverEntryPoint(name, &function, cudaEnableDefault, &found));
#endif
    TILESPMV_CUDA(found == cudaDriverEntryPointSuccess ? cudaSuccess : cudaErrorInsufficientDriver);
    return reinterpret_cast<Function>(function);
}

struct Driver {
    PFN_cuLaunchKernelEx_v11060 launch = driver_function<PFN_cuLaunchKernelEx_v11060>("cuLaunchKernelEx", 11060);
    PFN_cuCtxGetId_v12000 context_id = driver_function<PFN_cuCtxGetId_v12000>("cuCtxGetId", 12000);
};
const Driver& driver() {
    static const Driver functions;
    return functions;
}

struct Loaded {
    CUfunction function = nullptr;
    bool may_start_early = false;
};

/// A kernel as code in the current context, which the runtime would look for at every launch.
const Loaded& loaded(const void* kernel) {
    thread_local std::map<std::pair<unsigned long long, const void*>, Loaded> known;
    Loaded& code = known[{context_id(), kernel}];
    if (code.function == nullptr) {
        code.may_start_early = has_dependent_launch();
        TILESPMV_CUDA(cudaGetFuncBySymbol(&code.function, kernel));
    }
    return code;
}

}  // namespace

unsigned long long context_id() {
    unsigned long long id = 0;
    if (driver().context_id(nullptr, &id) == CUDA_SUCCESS) return id;
    int device = 0;  // the thread has not used it before
    TILESPMV_CUDA(cudaGetDevice(&device));
    TILESPMV_CUDA(cudaSetDevice(device));
    TILESPMV_CUDA(status_of(driver().context_id(nullptr, &id)));
    return id;
}

bool has_dependent_launch() {
    enum : signed char { unknown, no, yes };
    static std::array<std::atomic<signed char>, 64> known{};
    int device = 0;
    TILESPMV_CUDA(cudaGetDevice(&device));
    if (device >= static_cast<int>(known.size())) return compiled_for() >= 90;
    std::atomic<signed char>& of = known[static_cast<std::size_t>(device)];
    if (of == unknown) of = compiled_for() >= 90 ? yes : no;
    return of == yes;
}

void launch_dependent(const KernelLaunch& launch, const void* parameters, cudaStream_t stream) {
    const Loaded& code = loaded(launch.kernel);
    CUlaunchAttribute start_early{};
    start_early.id = CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_STREAM_SERIALIZATION;
    start_early.value.programmaticStreamSerializationAllowed = 1;
    CUlaunchConfig config{};
    config.gridDimX = launch.blocks;
    config.gridDimY = config.gridDimZ = 1;
    config.blockDimX = launch.threads;
    config.blockDimY = config.blockDimZ = 1;
    config.sharedMemBytes = launch.shared_bytes;
    config.hStream = stream;
    config.attrs = &start_early;
    config.numAttrs = code.may_start_early ? 1 : 0;
    std::array arguments{const_cast<void*>(parameters)};
    TILESPMV_CUDA(status_of(driver().launch(&config, code.function, arguments.data(), nullptr)));
}

void launch_barrier(cudaStream_t stream) {
    if (!has_dependent_launch()) return;
    barrier<<<1, 1, 0, stream>>>();
    TILESPMV_CUDA(cudaGetLastError());
}

}  // namespace tilespmv::cuda
