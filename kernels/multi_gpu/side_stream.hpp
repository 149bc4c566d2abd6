#pragma once

#include <cuda_runtime_api.h>

#include "kernels/cuda/device_buffer.hpp"

namespace tilespmv::multi_gpu {

/// A stream beside another one, of the highest priority, so that what is waited for longest begins first. What leaves
/// and comes back can be captured into a graph of the other one.
class SideStream {
public:
    SideStream() {
        int least = 0;
        int greatest = 0;
        TILESPMV_CUDA(cudaDeviceGetStreamPriorityRange(&least, &greatest));
        TILESPMV_CUDA(cudaStreamCreateWithPriority(&stream_, cudaStreamNonBlocking, greatest));
        TILESPMV_CUDA(cudaEventCreateWithFlags(&left_, cudaEventDisableTiming));
        TILESPMV_CUDA(cudaEventCreateWithFlags(&came_back_, cudaEventDisableTiming));
    }
    SideStream(const SideStream&) = delete;
    SideStream& operator=(const SideStream&) = delete;
    ~SideStream() {
        static_cast<void>(cudaEventDestroy(came_back_));
        static_cast<void>(cudaEventDestroy(left_));
        static_cast<void>(cudaStreamDestroy(stream_));
    }

    [[nodiscard]] cudaStream_t get() const noexcept { return stream_; }
    /// What follows here begins when all on `from` so far is complete.
    void leave(cudaStream_t from) const {
        TILESPMV_CUDA(cudaEventRecord(left_, from));
        TILESPMV_CUDA(cudaStreamWaitEvent(stream_, left_));
    }
    /// What follows on `to` begins when all here so far is complete.
    void come_back(cudaStream_t to) const {
        TILESPMV_CUDA(cudaEventRecord(came_back_, stream_));
        TILESPMV_CUDA(cudaStreamWaitEvent(to, came_back_));
    }

private:
    cudaStream_t stream_ = nullptr;
    cudaEvent_t left_ = nullptr;
    cudaEvent_t came_back_ = nullptr;
};

}  // namespace tilespmv::multi_gpu
