#include "kernels/cuda/device_operator.hpp"

#include "kernels/cuda/device_buffer.hpp"

namespace tilespmv::cuda {

std::size_t WorkspaceLayout::add_bytes(std::size_t bytes, unsigned char initial) {
    const std::size_t offset = place(bytes);
    parts_.push_back({offset, bytes, initial});
    return offset;
}

std::size_t WorkspaceLayout::place(std::size_t bytes) {
    constexpr std::size_t alignment = 256;
    const std::size_t offset = bytes_;
    bytes_ += (bytes + alignment - 1) / alignment * alignment;
    return offset;
}

void WorkspaceLayout::fill(std::byte* workspace, cudaStream_t stream) const {
    for (const Part& part : parts_) {
        if (part.bytes == 0) continue;
        TILESPMV_CUDA(cudaMemsetAsync(workspace + part.offset, part.initial, part.bytes, stream));
    }
}

}  // namespace tilespmv::cuda
