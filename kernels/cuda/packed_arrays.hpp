#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "kernels/cuda/device_buffer.hpp"

namespace tilespmv::cuda {

/// An array among those of a `PackedArrays`.
template <class T>
struct PackedPart {
    std::size_t offset = 0;
    std::size_t size = 0;
    [[nodiscard]] bool empty() const noexcept { return size == 0; }
    [[nodiscard]] std::size_t bytes() const noexcept { return size * sizeof(T); }
};

/// Arrays of the host side by side in one allocation on the GPU. To allocate and copy each of a few small ones takes
/// longer than to copy a small matrix.
class PackedArrays {
public:
    /// `host` must stay until `upload` has returned and, where it is large, until the stream has passed that.
    template <class T>
    PackedPart<T> add(std::span<const T> host) {
        constexpr std::size_t kAlignment = 256;  // that of an allocation
        const std::size_t offset = (bytes_ + kAlignment - 1) / kAlignment * kAlignment;
        if (host.empty()) return {};
        arrays_.push_back({host.data(), host.size_bytes(), offset});
        bytes_ = offset + host.size_bytes();
        return {offset, host.size()};
    }
    template <class T>
    PackedPart<T> add(const Buffer<T>& host) {
        return add(std::span<const T>(host.data(), host.size()));
    }
    template <class T>
    PackedPart<T> add(const std::vector<T>& host) {
        return add(std::span<const T>(host));
    }
    /// Once, when all are added. The stream must outlive this object.
    void upload(const DeviceContext& on);

    /// Null for an empty part.
    template <class T>
    [[nodiscard]] const T* data(const PackedPart<T>& part) const {
        return part.empty() ? nullptr : reinterpret_cast<const T*>(memory_.data() + part.offset);
    }

private:
    struct HostArray {
        const void* data;
        std::size_t bytes;
        std::size_t offset;
    };
    std::vector<HostArray> arrays_;
    std::size_t bytes_ = 0;
    DeviceBuffer<std::byte> memory_;
};

}  // namespace tilespmv::cuda
