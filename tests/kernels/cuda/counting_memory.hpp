#pragma once

#include <algorithm>
#include <cstddef>

#include "kernels/cuda/device_buffer.hpp"

namespace tilespmv::testing {

/// Counts what is asked for and given back.
class CountingMemory final : public cuda::DeviceMemory {
public:
    void* allocate(std::size_t bytes, cudaStream_t stream) override {
        held += bytes;
        most = std::max(most, held);
        return cuda::stream_ordered_memory()->allocate(bytes, stream);
    }
    void deallocate(void* memory, std::size_t bytes, cudaStream_t stream) noexcept override {
        held -= bytes;
        cuda::stream_ordered_memory()->deallocate(memory, bytes, stream);
    }

    std::size_t held = 0;
    std::size_t most = 0;
};

}  // namespace tilespmv::testing
