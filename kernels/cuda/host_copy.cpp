#include <algorithm>
#include <array>
#include <cstring>
#include <map>
#include <memory>
#include <mutex>

#include "kernels/cuda/dependent_launch.hpp"
#include "kernels/cuda/device_buffer.hpp"
#include "kernels/cuda/pinned_memory.hpp"
#include "tile/parallel.hpp"

namespace tilespmv::cuda {
namespace {

// Measured on one H200 with 16 cores of its host: `bench/NOTES.md`, "Uploads".
constexpr std::size_t kLeastStaged = std::size_t{1} << 20;  ///< bytes of an array
constexpr std::size_t kMostPart = std::size_t{8} << 20;
constexpr std::size_t kLeastPart = std::size_t{1} << 19;
constexpr std::int64_t kShare = 1 << 17;  ///< that a thread takes at a time
constexpr std::size_t kSlots = 4;
constexpr std::size_t kMostSmall = std::size_t{1} << 18;  ///< bytes of a result that a thread copies alone

void copy_by_driver(void* to, const void* from, std::size_t bytes, cudaStream_t stream) {
    TILESPMV_CUDA(cudaMemcpyAsync(to, from, bytes, cudaMemcpyDefault, stream));
}

void copy_by_threads(std::byte* to, const std::byte* from, std::size_t bytes) {
    parallel_ranges(0, static_cast<std::int64_t>(bytes), kShare, [&](std::int64_t first, std::int64_t end) {
        std::memcpy(to + first, from + first, static_cast<std::size_t>(end - first));
    });
}

/// A small result, by way of pinned memory. Returns when the copy is complete.
void fetch_small(void* to, const void* from, std::size_t bytes, cudaStream_t stream) {
    const PinnedMemory pinned(bytes);
    copy_by_driver(pinned.data(), from, bytes, stream);
    TILESPMV_CUDA(cudaStreamSynchronize(stream));
    std::memcpy(to, pinned.data(), bytes);
}

/// Pinned memory, and when what is in it has been copied.
class Slot {
public:
    Slot() {
        if (cudaHostAlloc(&memory_, kMostPart, cudaHostAllocDefault) != cudaSuccess) {
            memory_ = nullptr;
            static_cast<void>(cudaGetLastError());
        }
        TILESPMV_CUDA(cudaEventCreateWithFlags(&copied_, cudaEventDisableTiming));
    }
    Slot(const Slot&) = delete;
    Slot& operator=(const Slot&) = delete;
    ~Slot() = default;  // there is none before the process ends

    /// At most `kMostPart` bytes.
    void copy(std::byte* to, const std::byte* from, std::size_t bytes, cudaStream_t stream) {
        if (memory_ == nullptr) return copy_by_driver(to, from, bytes, stream);  // no memory could be pinned
        TILESPMV_CUDA(cudaEventSynchronize(copied_));
        copy_by_threads(static_cast<std::byte*>(memory_), from, bytes);
        copy_by_driver(to, memory_, bytes, stream);
        TILESPMV_CUDA(cudaEventRecord(copied_, stream));
    }

    /// From the GPU; `hand_out` then waits for it, and copies it to where it belongs.
    void fetch(std::byte* to, const std::byte* from, std::size_t bytes, cudaStream_t stream) {
        TILESPMV_CUDA(cudaEventSynchronize(copied_));
        copy_by_driver(memory_ != nullptr ? memory_ : to, from, bytes, stream);
        TILESPMV_CUDA(cudaEventRecord(copied_, stream));
    }
    void hand_out(std::byte* to, std::size_t bytes) {
        TILESPMV_CUDA(cudaEventSynchronize(copied_));
        if (memory_ != nullptr) copy_by_threads(to, static_cast<const std::byte*>(memory_), bytes);
    }

private:
    void* memory_ = nullptr;
    cudaEvent_t copied_ = nullptr;
};

/// The slots of one GPU, made when they are first needed. By one thread at a time.
class Stage {
public:
    void copy(std::byte* to, const std::byte* from, std::size_t bytes, cudaStream_t stream) {
        const std::scoped_lock lock(mutex_);
        const std::size_t part = part_of(bytes);
        for (std::size_t at = 0; at < bytes; at += part) {
            slot(next_).copy(to + at, from + at, std::min(part, bytes - at), stream);
            next_ = (next_ + 1) % kSlots;
        }
    }
    void copy_back(std::byte* to, const std::byte* from, std::size_t bytes, cudaStream_t stream) {
        const std::scoped_lock lock(mutex_);
        const std::size_t part = part_of(bytes);
        const std::size_t parts = (bytes + part - 1) / part;
        const auto size = [&](std::size_t i) { return std::min(part, bytes - i * part); };
        for (std::size_t i = 0; i < parts + kSlots; ++i) {
            if (i >= kSlots) slot(i % kSlots).hand_out(to + (i - kSlots) * part, size(i - kSlots));
            if (i < parts) slot(i % kSlots).fetch(to + i * part, from + i * part, size(i), stream);
        }
    }

private:
    static std::size_t part_of(std::size_t bytes) { return std::clamp(bytes / kSlots, kLeastPart, kMostPart); }
    Slot& slot(std::size_t i) {
        if (!slots_[i]) slots_[i] = std::make_unique<Slot>();
        return *slots_[i];
    }

    std::mutex mutex_;
    std::array<std::unique_ptr<Slot>, kSlots> slots_;
    std::size_t next_ = 0;
};

Stage& stage_of_this_gpu() {
    // Never destroyed: CUDA may be gone before it would be.
    static auto& stages = *new std::map<unsigned long long, Stage>;
    static std::mutex mutex;
    const std::scoped_lock lock(mutex);
    return stages[context_id()];
}

bool is_pageable(const void* memory) {
    cudaPointerAttributes attributes{};
    TILESPMV_CUDA(cudaPointerGetAttributes(&attributes, memory));
    return attributes.type == cudaMemoryTypeUnregistered;
}

}  // namespace

void copy_to_device(void* to, const void* from, std::size_t bytes, cudaStream_t stream) {
    if (bytes < kLeastStaged || !is_pageable(from)) {
        return copy_by_driver(to, from, bytes, stream);
    }
    stage_of_this_gpu().copy(static_cast<std::byte*>(to), static_cast<const std::byte*>(from), bytes, stream);
}

void copy_to_host(void* to, const void* from, std::size_t bytes, cudaStream_t stream) {
    if (bytes > 0 && bytes <= kMostSmall) return fetch_small(to, from, bytes, stream);
    if (bytes < kLeastStaged || !is_pageable(to)) {
        if (bytes > 0) copy_by_driver(to, from, bytes, stream);
        TILESPMV_CUDA(cudaStreamSynchronize(stream));
        return;
    }
    stage_of_this_gpu().copy_back(static_cast<std::byte*>(to), static_cast<const std::byte*>(from), bytes, stream);
}

}  // namespace tilespmv::cuda
