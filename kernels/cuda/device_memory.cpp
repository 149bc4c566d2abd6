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
constexpr std::size_t kLarge = std::size_t{1} << 20;  ///< bytes of what is counted as held; the rest is little

struct Pool {
    cudaMemPool_t pool = nullptr;  ///< null where the GPU has no pools
    std::uint64_t held = 0;
};

/// The pools of all GPUs, by one thread at a time. Never destroyed: CUDA may be gone before they would be.
template <class F>
auto with_pools(F&& f) {
    static auto& pools = *new std::map<int, Pool>;
    static std::mutex mutex;
    const std::scoped_lock lock(mutex);
    return f(pools);
}

/// A pool keeps so many bytes, those that somebody holds among them.
cudaError_t keep(const Pool& of) {
    std::uint64_t kept = of.held + kKept;
    return cudaMemPoolSetAttribute(of.pool, cudaMemPoolAttrReleaseThreshold, &kept);
}

Pool make_pool(int device) {
    int supported = 0;
    TILESPMV_CUDA(cudaDeviceGetAttribute(&supported, cudaDevAttrMemoryPoolsSupported, device));
    if (supported == 0) return {};
    cudaMemPoolProps properties{};
    properties.allocType = cudaMemAllocationTypePinned;
    properties.location = {cudaMemLocationTypeDevice, device};
    Pool made;
    TILESPMV_CUDA(cudaMemPoolCreate(&made.pool, &properties));
    TILESPMV_CUDA(keep(made));
    return made;
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
        hold(device, bytes, 1);
        return memory;
    }
    // Serves memory of cudaMalloc, too. Nothing can be done about an error here.
    void deallocate(void* memory, std::size_t bytes, cudaStream_t stream) noexcept override {
        cudaPointerAttributes attributes{};
        const bool is_counted = bytes >= kLarge && cudaPointerGetAttributes(&attributes, memory) == cudaSuccess;
        if (is_counted) hold(attributes.device, bytes, -1);
        static_cast<void>(cudaFreeAsync(memory, stream));
    }

private:
    static void hold(int device, std::size_t bytes, int sign) noexcept {
        if (bytes < kLarge) return;
        with_pools([&](auto& pools) {
            Pool& pool = pools[device];
            pool.held += static_cast<std::uint64_t>(sign) * bytes;
            if (pool.pool != nullptr) static_cast<void>(keep(pool));
        });
    }
};

}  // namespace

cudaMemPool_t pool_of(int device) {
    return with_pools([&](auto& pools) {
        const auto known = pools.find(device);
        return (known != pools.end() ? known->second : pools[device] = make_pool(device)).pool;
    });
}

std::shared_ptr<DeviceMemory> stream_ordered_memory() {
    static const auto memory = std::make_shared<StreamOrderedMemory>();
    return memory;
}

}  // namespace tilespmv::cuda
