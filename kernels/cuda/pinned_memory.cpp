#include "kernels/cuda/pinned_memory.hpp"

#include <algorithm>
#include <bit>
#include <map>
#include <mutex>
#include <tuple>

#include "kernels/cuda/device_buffer.hpp"

namespace tilespmv::cuda {
namespace {

constexpr std::size_t kLeastPinned = std::size_t{1} << 19;  ///< bytes, which most samples fit

/// What nobody uses, by its size.
struct UnusedMemory {
    std::mutex mutex;
    std::multimap<std::size_t, std::byte*> pieces;

    static UnusedMemory& of_process() {
        static auto& unused = *new UnusedMemory;  // never destroyed: CUDA may have ended before
        return unused;
    }
};

}  // namespace

PinnedMemory::PinnedMemory(std::size_t bytes) {
    UnusedMemory& unused = UnusedMemory::of_process();
    const std::lock_guard lock(unused.mutex);
    if (const auto least = unused.pieces.lower_bound(bytes); least != unused.pieces.end()) {
        std::tie(bytes_, data_) = *least;
        unused.pieces.erase(least);
        return;
    }
    bytes_ = std::bit_ceil(std::max(bytes, kLeastPinned));
    // Of all GPUs, at the same address.
    TILESPMV_CUDA(cudaHostAlloc(reinterpret_cast<void**>(&data_), bytes_, cudaHostAllocPortable | cudaHostAllocMapped));
}

PinnedMemory::~PinnedMemory() {
    UnusedMemory& unused = UnusedMemory::of_process();
    const std::lock_guard lock(unused.mutex);
    unused.pieces.emplace(bytes_, data_);
}

}  // namespace tilespmv::cuda
