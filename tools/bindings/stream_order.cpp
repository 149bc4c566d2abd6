#include "tools/bindings/stream_order.hpp"

#include "tile/error.hpp"

#if TILESPMV_HAS_CUDA
#include <cuda_runtime_api.h>

#include "kernels/cuda/device_buffer.hpp"
#include "kernels/cuda/stream.hpp"
#include "kernels/cuda/this_gpu.hpp"
#endif

namespace tilespmv::bindings {

#if TILESPMV_HAS_CUDA

struct StreamOrder::State {
    cudaStream_t last = nullptr;
    cudaEvent_t done = nullptr;
};

StreamOrder::StreamOrder() = default;
StreamOrder::~StreamOrder() {
    if (state_) static_cast<void>(cudaEventDestroy(state_->done));
}

CUstream_st* StreamOrder::follow(std::uintptr_t stream) {
    // An operator takes a null stream for its own.
    const cudaStream_t next = stream == 0 ? cudaStreamLegacy : reinterpret_cast<cudaStream_t>(stream);  // NOLINT
    if (!state_) {
        state_ = std::make_unique<State>();
        TILESPMV_CUDA(cudaEventCreateWithFlags(&state_->done, cudaEventDisableTiming));
    } else if (state_->last != next) {
        TILESPMV_CUDA(cudaEventRecord(state_->done, state_->last));
        TILESPMV_CUDA(cudaStreamWaitEvent(next, state_->done, 0));
    }
    state_->last = next;
    return next;
}

void StreamOrder::wait_for_device(bool is_on_gpu) {
    if (is_on_gpu) TILESPMV_CUDA(cudaDeviceSynchronize());
}

void copy_to_host(void* to, const void* from, std::size_t bytes, std::uintptr_t stream) {
    cuda::copy_to_host(to, from, bytes, reinterpret_cast<cudaStream_t>(stream));  // NOLINT
}

struct DeviceBytes::State {
    cuda::DeviceBuffer<std::byte> buffer;
};
DeviceBytes::DeviceBytes(std::size_t bytes)
    : state_(std::make_unique<State>(State{cuda::DeviceBuffer<std::byte>(bytes, nullptr)})) {
    TILESPMV_CUDA(cudaStreamSynchronize(nullptr));  // other streams use it
}
DeviceBytes::DeviceBytes(DeviceBytes&&) noexcept = default;
DeviceBytes::~DeviceBytes() = default;
void* DeviceBytes::data() const { return state_->buffer.data(); }
void DeviceBytes::copy_from(const void* from, std::uintptr_t stream) {
    const auto on = reinterpret_cast<cudaStream_t>(stream);  // NOLINT
    TILESPMV_CUDA(cudaMemcpyAsync(data(), from, state_->buffer.bytes(), cudaMemcpyDefault, on));
}

std::optional<Gpu> gpu_here(std::size_t value_bytes) { return cuda::this_gpu(value_bytes); }

#else

struct StreamOrder::State {};
StreamOrder::StreamOrder() = default;
StreamOrder::~StreamOrder() = default;
CUstream_st* StreamOrder::follow(std::uintptr_t) { return nullptr; }
void StreamOrder::wait_for_device(bool) {}
void copy_to_host(void*, const void*, std::size_t, std::uintptr_t) {
    throw Error("arrays in the memory of a GPU need a build with CUDA", ExitCode::unavailable);
}
struct DeviceBytes::State {};
DeviceBytes::DeviceBytes(std::size_t) {
    throw Error("arrays in the memory of a GPU need a build with CUDA", ExitCode::unavailable);
}
DeviceBytes::DeviceBytes(DeviceBytes&&) noexcept = default;
DeviceBytes::~DeviceBytes() = default;
void* DeviceBytes::data() const { return nullptr; }
void DeviceBytes::copy_from(const void*, std::uintptr_t) {}
std::optional<Gpu> gpu_here(std::size_t) { return std::nullopt; }

#endif

}  // namespace tilespmv::bindings
