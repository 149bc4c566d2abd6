#include <cstdint>
#include <map>
#include <mutex>

#include <fmt/format.h>

#include "kernels/cuda/device_buffer.hpp"
#include "tile/error.hpp"

namespace tilespmv::cuda {
namespace {

/// What is kept of memory that nobody holds: the GPU's own pool gives all of it back whenever a stream is waited for,
/// and to get it again takes longer than to prepare a small matrix (`bench/NOTES.md`, "Uploads").
constexpr std::uint64_t kKept = std::uint64_t{64} << 20;

/// Null where the GPU has no pools.
cudaMemPool_t make_pool(int device) {
    int supported = 0;
    TILESPMV_CUDA(cudaDeviceGetAttribute(&supported, cudaDevAttrMemoryPoolsSupported, device));
    if (supported == 0) return nullptr;
    cudaMemPoolProps properties{};
    properties.allocType = cudaMemAllocationTypePinned;
    properties.location = {cudaMemLocationTypeDevice, device};
    cudaMemPool_t pool = nullptr;
    TILESPMV_CUDA(cudaMemPoolCreate(&pool, &properties));
    std::uint64_t kept = kKept;
    TILESPMV_CUDA(cudaMemPoolSetAttribute(pool, cudaMemPoolAttrReleaseThreshold, &kept));
    return pool;
}

class StreamOrderedMemory final : public DeviceMemory {
public:
    void* allocate(std::size_t bytes, cudaStream_t stream) override {
        void* memory = nullptr;
        int device = 0;
        TILESPMV_CUDA(cudaGetDevice(&device));
        const cudaMemPool_t pool = pool_of(device);
        const cudaError_t status =
            pool != nullptr ? cudaMallocFromPoolAsync(&memory, bytes, pool, stream) : cudaMalloc(&memory, bytes);
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

cudaMemPool_t pool_of(int device) {
    // Never destroyed: CUDA may be gone before it would be.
    static auto& pools = *new std::map<int, cudaMemPool_t>;
    static std::mutex mutex;
    const std::scoped_lock lock(mutex);
    const auto known = pools.find(device);
    return known != pools.end() ? known->second : pools[device] = make_pool(device);
}

std::shared_ptr<DeviceMemory> stream_ordered_memory() {
    static const auto memory = std::make_shared<StreamOrderedMemory>();
    return memory;
}

}  // namespace tilespmv::cuda
