#include "tools/bindings/stream_order.hpp"

#include <optional>

#include <fmt/format.h>

#include "tile/error.hpp"

#if TILESPMV_HAS_CUDA
#include <cuda_runtime_api.h>

#include "kernels/cuda/device_buffer.hpp"
#include "kernels/cuda/stream.hpp"
#include "kernels/cuda/this_gpu.hpp"
#endif

namespace tilespmv::bindings {

#if TILESPMV_HAS_CUDA
namespace {

/// Whether what a stream gets becomes part of a graph, which runs when its owner launches it.
bool is_captured(cudaStream_t stream) {
    cudaStreamCaptureStatus status = cudaStreamCaptureStatusNone;
    TILESPMV_CUDA(cudaStreamIsCapturing(stream, &status));
    return status != cudaStreamCaptureStatusNone;
}

}  // namespace

struct StreamOrder::State {
    State() { TILESPMV_CUDA(cudaEventCreateWithFlags(&done, cudaEventDisableTiming)); }
    State(const State&) = delete;
    State& operator=(const State&) = delete;
    /// Waits for what was multiplied: its matrix goes next.
    ~State() {
        if (lives(last)) static_cast<void>(cudaEventRecord(done, last));
        static_cast<void>(cudaEventSynchronize(done));
        static_cast<void>(cudaEventDestroy(done));
    }

    /// Whether a stream lives as long as this, so that its end can be recorded when another one follows.
    [[nodiscard]] bool lives(cudaStream_t stream) const {
        return stream == cudaStreamLegacy || (own && stream == own->get());
    }

    std::optional<cuda::Stream> own;
    cudaStream_t last = nullptr;   // none yet
    cudaStream_t given = nullptr;  // by `follow`: another one than `last` if it is captured
    cudaEvent_t done = nullptr;
};

StreamOrder::StreamOrder() = default;
StreamOrder::~StreamOrder() = default;

CUstream_st* StreamOrder::follow(std::uintptr_t stream) {
    // An operator takes a null stream for its own.
    const cudaStream_t next = stream == 0 ? cudaStreamLegacy : reinterpret_cast<cudaStream_t>(stream);  // NOLINT
    if (!state_) state_ = std::make_unique<State>();
    state_->given = next;
    const bool is_another = state_->last != next || next == cudaStreamPerThread;  // that of another thread
    if (is_another && is_captured(next)) return next;
    if (is_another && state_->last != nullptr) {
        if (state_->lives(state_->last)) TILESPMV_CUDA(cudaEventRecord(state_->done, state_->last));
        TILESPMV_CUDA(cudaStreamWaitEvent(next, state_->done, 0));
    }
    state_->last = next;
    return next;
}

CUstream_st* StreamOrder::follow_own() {
    if (!state_) state_ = std::make_unique<State>();
    if (!state_->own) state_->own.emplace();
    return follow(reinterpret_cast<std::uintptr_t>(state_->own->get()));
}

void StreamOrder::leave() {
    if (!state_ || state_->given != state_->last || state_->lives(state_->last) || is_captured(state_->last)) return;
    TILESPMV_CUDA(cudaEventRecord(state_->done, state_->last));
}

void StreamOrder::wait_for_device(bool is_on_gpu) {
    if (is_on_gpu) TILESPMV_CUDA(cudaDeviceSynchronize());
}

void require_on_current_gpu(const void* array) {
    static const int gpus = [] {
        int count = 0;
        TILESPMV_CUDA(cudaGetDeviceCount(&count));
        return count;
    }();
    if (gpus == 1 || array == nullptr) return;
    cudaPointerAttributes found{};
    int current = 0;
    TILESPMV_CUDA(cudaPointerGetAttributes(&found, array));
    TILESPMV_CUDA(cudaGetDevice(&current));
    if (found.type != cudaMemoryTypeDevice || found.device == current) return;
    throw Error(fmt::format("an array is on GPU {}, but GPU {} is current: copy it there", found.device, current),
                ExitCode::usage);
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
CUstream_st* StreamOrder::follow_own() { return nullptr; }
void StreamOrder::leave() {}
void StreamOrder::wait_for_device(bool) {}
void require_on_current_gpu(const void*) {}
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
