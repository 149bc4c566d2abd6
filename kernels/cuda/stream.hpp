#pragma once

#include <cuda_runtime_api.h>

#include "kernels/cuda/device_buffer.hpp"

namespace tilespmv::cuda {

/// A stream of its own, not synchronised with the default one.
class Stream {
public:
    Stream() { TILESPMV_CUDA(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking)); }
    Stream(const Stream&) = delete;
    Stream& operator=(const Stream&) = delete;
    ~Stream() { static_cast<void>(cudaStreamDestroy(stream_)); }

    [[nodiscard]] cudaStream_t get() const noexcept { return stream_; }
    void synchronize() const { TILESPMV_CUDA(cudaStreamSynchronize(stream_)); }

private:
    cudaStream_t stream_ = nullptr;
};

/// A point in a stream, with its time.
class Event {
public:
    Event() { TILESPMV_CUDA(cudaEventCreate(&event_)); }
    Event(const Event&) = delete;
    Event& operator=(const Event&) = delete;
    ~Event() { static_cast<void>(cudaEventDestroy(event_)); }

    void record(cudaStream_t stream) { TILESPMV_CUDA(cudaEventRecord(event_, stream)); }
    void synchronize() const { TILESPMV_CUDA(cudaEventSynchronize(event_)); }
    /// Seconds from `start` to this event; both must have happened.
    [[nodiscard]] double seconds_since(const Event& start) const {
        float milliseconds = 0;
        TILESPMV_CUDA(cudaEventElapsedTime(&milliseconds, start.event_, event_));
        return milliseconds * 1e-3;
    }

private:
    cudaEvent_t event_ = nullptr;
};

}  // namespace tilespmv::cuda
