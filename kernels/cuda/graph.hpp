#pragma once

#include <cuda_runtime_api.h>

#include "kernels/cuda/device_buffer.hpp"

namespace tilespmv::cuda {

/// What some work launches on a stream, ready to be launched again as one graph.
class Graph {
public:
    /// `work` must neither allocate nor synchronise. Throws what it throws, and `Error` if it cannot be captured.
    template <class F>
    Graph(cudaStream_t stream, F&& work) : stream_(stream) {
        TILESPMV_CUDA(cudaStreamBeginCapture(stream_, cudaStreamCaptureModeThreadLocal));
        try {
            capture(work);
            TILESPMV_CUDA(cudaGraphInstantiate(&executable_, graph_, 0));
            TILESPMV_CUDA(cudaGraphUpload(executable_, stream_));
        } catch (...) {
            destroy();
            throw;
        }
    }
    Graph(const Graph&) = delete;
    Graph& operator=(const Graph&) = delete;
    /// Waits for what it has launched.
    ~Graph() {
        static_cast<void>(cudaStreamSynchronize(stream_));
        destroy();
    }

    void launch() const { TILESPMV_CUDA(cudaGraphLaunch(executable_, stream_)); }

private:
    // A stream does not stay in the state of capturing, whatever happens.
    template <class F>
    void capture(F&& work) {
        try {
            work();
        } catch (...) {
            static_cast<void>(cudaStreamEndCapture(stream_, &graph_));
            throw;
        }
        TILESPMV_CUDA(cudaStreamEndCapture(stream_, &graph_));
    }
    void destroy() noexcept {
        if (executable_ != nullptr) static_cast<void>(cudaGraphExecDestroy(executable_));
        if (graph_ != nullptr) static_cast<void>(cudaGraphDestroy(graph_));
    }

    cudaStream_t stream_;
    cudaGraph_t graph_ = nullptr;
    cudaGraphExec_t executable_ = nullptr;
};

}  // namespace tilespmv::cuda
