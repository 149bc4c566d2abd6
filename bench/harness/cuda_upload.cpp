#include "bench/harness/cuda_device.hpp"
#include "bench/harness/cuda_stream_device.hpp"
#include "kernels/cuda/device_buffer.hpp"

namespace tilespmv::bench {
namespace {

class CudaUpload final : public Upload {
public:
    CudaUpload(HostArrays arrays, cudaStream_t stream) : arrays_(std::move(arrays)), stream_(stream) {
        copies_.reserve(arrays_.size());
        for (const auto& array : arrays_) copies_.push_back(memory_for(array.size()));
    }
    void copy() override {
        for (std::size_t i = 0; i < arrays_.size(); ++i) {
            TILESPMV_CUDA(cudaMemcpyAsync(copies_[i].get(), arrays_[i].data(), arrays_[i].size(),
                                          cudaMemcpyHostToDevice, stream_));
        }
        TILESPMV_CUDA(cudaStreamSynchronize(stream_));
    }

private:
    struct Free {
        void operator()(void* memory) const noexcept { cudaFree(memory); }
    };
    using Memory = std::unique_ptr<void, Free>;

    static Memory memory_for(std::size_t bytes) {
        void* memory = nullptr;
        TILESPMV_CUDA(cudaMalloc(&memory, bytes));
        return Memory(memory);
    }

    HostArrays arrays_;
    cudaStream_t stream_;
    std::vector<Memory> copies_;
};

}  // namespace

std::unique_ptr<Upload> make_cuda_upload(Device& device, HostArrays arrays) {
    return std::make_unique<CudaUpload>(std::move(arrays), dynamic_cast<CudaDevice&>(device).stream());
}

}  // namespace tilespmv::bench
