#pragma once

#include <cstddef>

namespace tilespmv::cuda {

/// Memory of the host that kernels read and write where it is, which spares copies of what is small. The process keeps
/// it for the next one, since to pin memory takes long. Every kernel that uses it must have ended when it goes away.
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
    std::byte* data_ = nullptr;
    std::size_t bytes_ = 0;  ///< that there are
};

}  // namespace tilespmv::cuda
