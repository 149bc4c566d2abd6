#pragma once

#include <cstddef>
#include <vector>

#include "kernels/cuda/device_buffer.hpp"

namespace tilespmv::cuda {

/// An array in a workspace.
template <class T>
struct WorkspacePart {
    std::size_t offset = 0;
    [[nodiscard]] T* in(std::byte* workspace) const { return reinterpret_cast<T*>(workspace + offset); }
};

/// What a workspace of an operator consists of: sums that blocks leave for each other, with the bytes that they have
/// before and after every product, and room that every product writes before it reads.
class WorkspaceLayout {
public:
    template <class T>
    WorkspacePart<T> add(std::size_t count, unsigned char initial) {
        return {add_bytes(count * sizeof(T), initial)};
    }
    template <class T>
    WorkspacePart<T> add_room(std::size_t count) {
        return {place(count * sizeof(T))};
    }
    [[nodiscard]] std::size_t bytes() const { return bytes_; }
    /// Gives a workspace its initial bytes.
    void fill(std::byte* workspace, cudaStream_t stream) const;

private:
    struct Part {
        std::size_t offset;
        std::size_t bytes;
        unsigned char initial;
    };
    std::size_t add_bytes(std::size_t bytes, unsigned char initial);
    std::size_t place(std::size_t bytes);

    std::vector<Part> parts_;
    std::size_t bytes_ = 0;
};

/// Workspace for one product at a time of the operator that made it. Move-only; the stream it was made on must outlive
/// it.
class Workspace {
public:
    Workspace(const void* made_by, const WorkspaceLayout& layout, const DeviceContext& on)
        : made_by_(made_by), memory_(layout.bytes(), on) {
        layout.fill(memory_.data(), on.stream);
    }

    [[nodiscard]] std::byte* data() const { return memory_.data(); }
    [[nodiscard]] const void* made_by() const { return made_by_; }

private:
    const void* made_by_;
    DeviceBuffer<std::byte> memory_;
};

}  // namespace tilespmv::cuda
