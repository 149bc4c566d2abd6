#include "kernels/cuda/device_memory.hpp"

#include <fmt/format.h>

#include "kernels/cuda/error.hpp"
#include "tile/error.hpp"

namespace tilespmv::cuda {
namespace {

bool has_pools() {
    int device = 0;
    int supported = 0;
    TILESPMV_CUDA(cudaGetDevice(&device));
    TILESPMV_CUDA(cudaDeviceGetAttribute(&supported, cudaDevAttrMemoryPoolsSupported, device));
    return supported != 0;
}

class StreamOrderedMemory final : public DeviceMemory {
public:
    void* allocate(std::size_t bytes, cudaStream_t stream) override {
        void* memory = nullptr;
        const cudaError_t status = has_pools() ? cudaMallocAsync(&memory, bytes, stream) : cudaMalloc(&memory, bytes);
        if (status == cudaErrorMemoryAllocation) {
            static_cast<void>(cudaGetLastError());
            std::size_t free = 0;
            std::size_t total = 0;
            TILESPMV_CUDA(cudaMemGetInfo(&free, &total));
            throw Error(fmt::format("out of GPU memory: {} bytes are needed, {} of {} are free", bytes, free, total));
        }
        TILESPMV_CUDA(status);
        return memory;
    }
    // Serves memory of cudaMalloc, too. Nothing can be done about an error here.
    void deallocate(void* memory, std::size_t, cudaStream_t stream) noexcept override {
        static_cast<void>(cudaFreeAsync(memory, stream));
    }
};

}  // namespace

std::shared_ptr<DeviceMemory> stream_ordered_memory() {
    static const auto memory = std::make_shared<StreamOrderedMemory>();
    return memory;
}

}  // namespace tilespmv::cuda
