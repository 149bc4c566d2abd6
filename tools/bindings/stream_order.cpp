#include "tools/bindings/stream_order.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <span>
#include <utility>

#include <fmt/format.h>

#include "tile/error.hpp"

#if TILESPMV_HAS_CUDA
#include <cuda_runtime_api.h>

#include "kernels/cuda/device_buffer.hpp"
#include "kernels/cuda/stream.hpp"
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

/// 0 is the default stream; an operator takes a null stream for its own.
cudaStream_t stream_of(std::uintptr_t stream) {
    return stream == 0 ? cudaStreamLegacy : reinterpret_cast<cudaStream_t>(stream);  // NOLINT
}

}  // namespace

struct StreamOrder::State {
    struct Event {
        Event() { TILESPMV_CUDA(cudaEventCreateWithFlags(&event, cudaEventDisableTiming)); }
        Event(const Event&) = delete;
        Event& operator=(const Event&) = delete;
        /// Waits for it: the matrix of what it marks goes next.
        ~Event() {
            static_cast<void>(cudaEventSynchronize(event));
            static_cast<void>(cudaEventDestroy(event));
        }
        cudaEvent_t event = nullptr;
    };
    struct Workspace {
        cudaStream_t last = nullptr;  // that worked in it; null: none yet
        bool is_behind = false;       // the next work in it has to wait for new values
        Event done;
    };

    State() = default;
    State(const State&) = delete;
    State& operator=(const State&) = delete;
    ~State() {
        for (Workspace& w : workspaces) {
            if (lives(w.last)) static_cast<void>(cudaEventRecord(w.done.event, w.last));
        }
    }

    /// Whether a stream lives as long as this, so that its end can be recorded when another one follows.
    [[nodiscard]] bool lives(cudaStream_t stream) const {
        return stream == cudaStreamLegacy || (own && stream == own->get());
    }
    void wait(Workspace& w, cudaStream_t next) const {
        if (w.last == nullptr || (w.last == next && next != cudaStreamPerThread)) return;  // that is one of each thread
        if (lives(w.last)) TILESPMV_CUDA(cudaEventRecord(w.done.event, w.last));
        TILESPMV_CUDA(cudaStreamWaitEvent(next, w.done.event, 0));
    }
    /// The workspace among the first `count` that this stream worked in last, else one that none did, else any.
    Workspace& take(cudaStream_t next, int count) {
        const std::span first(workspaces.data(), static_cast<std::size_t>(count));
        for (const cudaStream_t last : {next, cudaStream_t{}}) {
            const auto found = std::find_if(first.begin(), first.end(), [&](auto& w) { return w.last == last; });
            if (found != first.end()) return *found;
        }
        return first[taken++ % first.size()];
    }

    std::optional<cuda::Stream> own;
    std::array<Workspace, kMostWorkspaces> workspaces;
    Event new_values;
    std::size_t taken = 0;  // workspaces of other streams
};

StreamOrder::StreamOrder() = default;
StreamOrder::~StreamOrder() = default;

StreamOrder::Turn StreamOrder::follow(std::uintptr_t stream, int workspaces) {
    if (!state_) state_ = std::make_unique<State>();
    const cudaStream_t next = stream_of(stream);
    if (!state_->lives(next) && is_captured(next)) return {next, 0, true};
    State::Workspace& w = state_->take(next, workspaces);
    state_->wait(w, next);
    if (std::exchange(w.is_behind, false)) TILESPMV_CUDA(cudaStreamWaitEvent(next, state_->new_values.event, 0));
    w.last = next;
    return {next, static_cast<int>(&w - state_->workspaces.data())};
}

StreamOrder::Turn StreamOrder::follow_own() {
    if (!state_) state_ = std::make_unique<State>();
    if (!state_->own) state_->own.emplace();
    return follow(reinterpret_cast<std::uintptr_t>(state_->own->get()), 1);
}

StreamOrder::Turn StreamOrder::follow_all(std::uintptr_t stream) {
    if (!state_) state_ = std::make_unique<State>();
    const cudaStream_t next = stream_of(stream);
    if (!state_->lives(next) && is_captured(next)) return {next, kAll, true};
    for (State::Workspace& w : state_->workspaces) state_->wait(w, next);
    TILESPMV_CUDA(cudaStreamWaitEvent(next, state_->new_values.event, 0));  // those before
    return {next, kAll};
}

void StreamOrder::leave(const Turn& turn) {
    if (!state_ || turn.is_captured) return;
    if (turn.workspace == kAll) {
        TILESPMV_CUDA(cudaEventRecord(state_->new_values.event, turn.stream));
        for (State::Workspace& w : state_->workspaces) w.is_behind = true;
    } else if (!state_->lives(turn.stream)) {
        TILESPMV_CUDA(
            cudaEventRecord(state_->workspaces[static_cast<std::size_t>(turn.workspace)].done.event, turn.stream));
    }
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

#else

struct StreamOrder::State {};
StreamOrder::StreamOrder() = default;
StreamOrder::~StreamOrder() = default;
StreamOrder::Turn StreamOrder::follow(std::uintptr_t, int) { return {}; }
StreamOrder::Turn StreamOrder::follow_own() { return {}; }
StreamOrder::Turn StreamOrder::follow_all(std::uintptr_t) { return {}; }
void StreamOrder::leave(const Turn&) {}
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

#endif

}  // namespace tilespmv::bindings
