#include "kernels/cuda/pinned_memory.hpp"

#include <algorithm>
#include <bit>
#include <map>
#include <mutex>
#include <utility>

#include "kernels/cuda/dependent_launch.hpp"
#include "kernels/cuda/device_buffer.hpp"

namespace tilespmv::cuda {
namespace {

constexpr std::size_t kLeastPinned = std::size_t{1} << 19;  ///< bytes, which most samples fit

/// What nobody uses, by its context and size.
struct UnusedMemory {
    std::mutex mutex;
    std::multimap<std::pair<unsigned long long, std::size_t>, std::byte*> pieces;

    static UnusedMemory& of_process() {
        static auto& unused = *new UnusedMemory;  // never destroyed: CUDA may have ended before
        return unused;
    }
};

}  // namespace

PinnedMemory::PinnedMemory(std::size_t bytes) : context_(context_id()) {
    UnusedMemory& unused = UnusedMemory::of_process();
    const std::lock_guard lock(unused.mutex);
    const auto least = unused.pieces.lower_bound({context_, bytes});
    if (least != unused.pieces.end() && least->first.first == context_) {
        bytes_ = least->first.second;
        data_ = least->second;
        unused.pieces.erase(least);
        return;
    }
    bytes_ = std::bit_ceil(std::max(bytes, kLeastPinned));
    TILESPMV_CUDA(cudaHostAlloc(reinterpret_cast<void**>(&data_), bytes_, cudaHostAllocMapped));
}

PinnedMemory::~PinnedMemory() {
    UnusedMemory& unused = UnusedMemory::of_process();
    const std::lock_guard lock(unused.mutex);
    unused.pieces.emplace(std::pair{context_, bytes_}, data_);
}

}  // namespace tilespmv::cuda
