#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "kernels/cuda/device_buffer.hpp"
#include "kernels/cuda/pinned_memory.hpp"

namespace tilespmv::cuda {

/// Consecutive words of 32 bits in device memory.
struct WordsThere {
    const std::uint32_t* first = nullptr;
    std::size_t size = 0;
};

struct PartToGather;

/// Copies such ranges to the host, one behind the other, by one kernel that reads where they are and writes to pinned
/// memory: for the few that a sample has, each copy by CUDA takes longer than the kernel.
class Gather {
public:
    /// Begins on the stream. There are fewer than 2^32 words.
    Gather(const std::vector<WordsThere>& ranges, cudaStream_t stream);
    Gather(const Gather&) = delete;
    Gather& operator=(const Gather&) = delete;
    ~Gather();

    /// Waits for the stream. The words stay as long as this.
    const std::uint32_t* wait();

private:
    Gather(const std::vector<PartToGather>& parts, cudaStream_t stream);

    PinnedMemory memory_;
    std::size_t words_at_;  ///< behind the list of what is copied
    cudaStream_t stream_;
    bool is_running_ = true;
};

}  // namespace tilespmv::cuda
