#include "kernels/cuda/device.hpp"

#include <map>

#include <fmt/format.h>

#include "kernels/cuda/device_buffer.hpp"
#include "kernels/cuda/probe.hpp"
#include "kernels/cuda/this_gpu.hpp"
#include "tile/error.hpp"

namespace tilespmv::cuda {
namespace {

[[noreturn]] void unavailable(const std::string& why) {
    throw Error(fmt::format("no usable GPU: {}", why), ExitCode::unavailable);
}

void require_code_for(const cudaDeviceProp& properties) {
    cudaFuncAttributes attributes{};
    if (cudaFuncGetAttributes(&attributes, probe_kernel()) == cudaSuccess) return;
    static_cast<void>(cudaGetLastError());
    unavailable(
        fmt::format("this build has no code for {} (compute capability {}.{}); build with "
                    "-DCMAKE_CUDA_ARCHITECTURES={}{}",
                    properties.name, properties.major, properties.minor, properties.major, properties.minor));
}

}  // namespace

void check(cudaError_t status, const char* expression, const char* file, int line) {
    if (status == cudaSuccess) return;
    static_cast<void>(cudaGetLastError());  // so that the next check does not report it again
    throw Error(fmt::format("{}:{}: {}: {}", file, line, expression, cudaGetErrorString(status)));
}

DeviceInfo require_device() {
    DeviceInfo info;
    TILESPMV_CUDA(cudaRuntimeGetVersion(&info.runtime_version));
    TILESPMV_CUDA(cudaDriverGetVersion(&info.driver_version));
    if (info.driver_version == 0) unavailable("no NVIDIA driver on this machine");
    int devices = 0;
    if (const cudaError_t status = cudaGetDeviceCount(&devices); status != cudaSuccess) {
        static_cast<void>(cudaGetLastError());
        unavailable(fmt::format("{} (driver {}, CUDA runtime {})", cudaGetErrorString(status), info.driver_version,
                                info.runtime_version));
    }
    int device = 0;
    TILESPMV_CUDA(cudaGetDevice(&device));
    cudaDeviceProp properties{};
    TILESPMV_CUDA(cudaGetDeviceProperties(&properties, device));
    require_code_for(properties);
    info.name = properties.name;
    info.compute_capability = properties.major * 10 + properties.minor;
    info.compiled_for = compiled_for();
    info.multiprocessors = properties.multiProcessorCount;
    info.max_warps_per_multiprocessor = properties.maxThreadsPerMultiProcessor / properties.warpSize;
    info.registers_per_multiprocessor = properties.regsPerMultiprocessor;
    info.shared_bytes_per_multiprocessor = properties.sharedMemPerMultiprocessor;
    info.l2_bytes = static_cast<std::size_t>(properties.l2CacheSize);
    info.memory_bytes = properties.totalGlobalMem;
    return info;
}

const Tuning& this_tuning(std::size_t value_bytes) {
    int device = 0;
    int major = 0;
    int minor = 0;
    if (cudaGetDevice(&device) != cudaSuccess ||
        cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, device) != cudaSuccess ||
        cudaDeviceGetAttribute(&minor, cudaDevAttrComputeCapabilityMinor, device) != cudaSuccess) {
        static_cast<void>(cudaGetLastError());
    }
    return tuning_for(major * 10 + minor, value_bytes);
}

namespace {

/// By attributes: to ask for all properties of a device takes orders of magnitude longer.
GpuFigures ask_for_figures(int device) {
    cudaFuncAttributes attributes{};
    if (cudaFuncGetAttributes(&attributes, probe_kernel()) != cudaSuccess) {
        static_cast<void>(require_device());  // says why
    }
    const auto ask = [device](cudaDeviceAttr attribute) {
        int value = 0;
        TILESPMV_CUDA(cudaDeviceGetAttribute(&value, attribute, device));
        return value;
    };
    const int capability = ask(cudaDevAttrComputeCapabilityMajor) * 10 + ask(cudaDevAttrComputeCapabilityMinor);
    int memory_khz = 0;
    if (cudaDeviceGetAttribute(&memory_khz, cudaDevAttrMemoryClockRate, device) != cudaSuccess) {
        static_cast<void>(cudaGetLastError());  // a driver that does not say it
    }
    const double transfers_per_s = 2e3 * memory_khz;  // at both edges
    return {capability, ask(cudaDevAttrMultiProcessorCount),
            ask(cudaDevAttrMaxThreadsPerMultiProcessor) / ask(cudaDevAttrWarpSize),
            static_cast<double>(ask(cudaDevAttrL2CacheSize)),
            transfers_per_s * ask(cudaDevAttrGlobalMemoryBusWidth) / 8};
}

}  // namespace

Gpu this_gpu(std::size_t value_bytes) {
    int device = 0;
    if (cudaGetDevice(&device) != cudaSuccess) static_cast<void>(require_device());  // says why
    thread_local std::map<int, GpuFigures> known;  // to ask takes as long as a tenth of a small upload
    auto at = known.find(device);
    if (at == known.end()) at = known.emplace(device, ask_for_figures(device)).first;
    return gpu_of(at->second, value_bytes);
}

}  // namespace tilespmv::cuda
