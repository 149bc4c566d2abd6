#include "kernels/cuda/dependent_launch.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <compare>
#include <map>

#include <cuda.h>
#include <cudaTypedefs.h>

#include "kernels/cuda/device_attribute.hpp"
#include "kernels/cuda/device_buffer.hpp"
#include "kernels/cuda/probe.hpp"
#include "kernels/cuda/residency.hpp"

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

/// What identifies the current context for as long as the program runs, also after a reset of the GPU.
unsigned long long context_id() {
    unsigned long long id = 0;
    if (driver().context_id(nullptr, &id) == CUDA_SUCCESS) return id;
    int device = 0;  // the thread has not used it before
    TILESPMV_CUDA(cudaGetDevice(&device));
    TILESPMV_CUDA(cudaSetDevice(device));
    TILESPMV_CUDA(status_of(driver().context_id(nullptr, &id)));
    return id;
}

/// Whether a launch can say how a multiprocessor is to be split into first-level cache and shared memory.
bool can_split() {
#if CUDA_VERSION >= 12080
    int version = 0;  // of the driver
    TILESPMV_CUDA(cudaDriverGetVersion(&version));
    return version >= 12080;
#else
    return false;
#endif
}

/// The least shared memory of a multiprocessor that so many bytes fit. 32 KiB do for few blocks, 64 for all: as fast on
/// an H200, and a split of 16 KiB has no effect there.
unsigned least_split(unsigned bytes, unsigned most) {
    for (const unsigned kib : {64U, 100U, 132U, 164U, 196U}) {
        if (kib << 10 >= bytes) return std::min(kib << 10, most);
    }
    return most;
}

Residency residency_of(const KernelLaunch& launch, unsigned most_bytes) {
    int blocks = 0;
    cudaFuncAttributes code{};
    TILESPMV_CUDA(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, launch.kernel,
                                                                static_cast<int>(launch.threads), launch.shared_bytes));
    TILESPMV_CUDA(cudaFuncGetAttributes(&code, launch.kernel));
    Residency of;
    of.multiprocessors = static_cast<unsigned>(device_attribute(cudaDevAttrMultiProcessorCount));
    of.blocks = static_cast<unsigned>(blocks);
    of.block_bytes = static_cast<unsigned>(code.sharedSizeBytes) + launch.shared_bytes +
                     static_cast<unsigned>(device_attribute(cudaDevAttrReservedSharedMemoryPerBlock));
    of.split_bytes = least_split(of.blocks * of.block_bytes, most_bytes);
    return of;
}

struct Loaded {
    CUfunction function = nullptr;
    bool may_start_early = false;
    Residency residency;  // where it matters
    unsigned split_percent = 0;
};

/// A kernel of so many threads as code in the current context, which the runtime would look for at every launch.
const Loaded& loaded(const KernelLaunch& launch) {
    struct Key {
        unsigned long long context;
        const void* kernel;
        unsigned threads;
        unsigned shared_bytes;
        auto operator<=>(const Key&) const = default;
    };
    thread_local std::map<Key, Loaded> known;
    Loaded& code = known[{context_id(), launch.kernel, launch.threads, launch.shared_bytes}];
    if (code.function == nullptr) {
        code.may_start_early = has_dependent_launch();
        if (code.may_start_early && can_split()) {
            const auto most = static_cast<unsigned>(device_attribute(cudaDevAttrMaxSharedMemoryPerMultiprocessor));
            code.residency = residency_of(launch, most);
            code.split_percent = code.residency.split_bytes * 100 / most;
        }
        TILESPMV_CUDA(cudaGetFuncBySymbol(&code.function, launch.kernel));
    }
    return code;
}

}  // namespace

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
    const Loaded& code = loaded(launch);
    const unsigned more_bytes = balancing_bytes(code.residency, launch.blocks);
    std::array<CUlaunchAttribute, 2> attributes{};
    attributes[0].id = CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_STREAM_SERIALIZATION;
    attributes[0].value.programmaticStreamSerializationAllowed = 1;
#if CUDA_VERSION >= 12080
    attributes[1].id = CU_LAUNCH_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT;
    attributes[1].value.sharedMemCarveout = code.split_percent;
#endif
    CUlaunchConfig config{};
    config.gridDimX = launch.blocks;
    config.gridDimY = config.gridDimZ = 1;
    config.blockDimX = launch.threads;
    config.blockDimY = config.blockDimZ = 1;
    config.sharedMemBytes = launch.shared_bytes + more_bytes;
    config.hStream = stream;
    config.attrs = attributes.data();
    config.numAttrs = !code.may_start_early ? 0 : more_bytes == 0 ? 1 : 2;
    std::array arguments{const_cast<void*>(parameters)};
    TILESPMV_CUDA(status_of(driver().launch(&config, code.function, arguments.data(), nullptr)));
}

void launch_barrier(cudaStream_t stream) {
    if (!has_dependent_launch()) return;
    barrier<<<1, 1, 0, stream>>>();
    TILESPMV_CUDA(cudaGetLastError());
}

}  // namespace tilespmv::cuda
