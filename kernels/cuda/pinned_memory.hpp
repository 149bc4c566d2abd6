#pragma once

#include <cstddef>

namespace tilespmv::cuda {

/// Memory of the host that kernels of the current GPU read and write where it is, which spares copies of what is small.
/// It is kept for the next one there, since to pin memory takes long. Every kernel that uses it must have ended when it
/// goes away.
class PinnedMemory {
public:
    /// Throws `Error` if so much cannot be pinned.
    explicit PinnedMemory(std::size_t bytes);
    PinnedMemory(const PinnedMemory&) = delete;
    PinnedMemory& operator=(const PinnedMemory&) = delete;
    ~PinnedMemory();

    /// 256-byte aligned, not set.
    [[nodiscard]] std::byte* data() const { return data_; }

private:
    unsigned long long context_;  ///< a reset of the GPU takes the memory away
    std::byte* data_ = nullptr;
    std::size_t bytes_ = 0;  ///< that there are
};

}  // namespace tilespmv::cuda
