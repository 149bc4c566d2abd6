#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "kernels/cuda/device_buffer.hpp"

namespace tilespmv::cuda {

/// An array among those of a `PackedArrays`.
template <class T>
struct PackedPart {
    std::size_t offset = 0;
    std::size_t size = 0;
    const T* there = nullptr;  ///< where it is, if it was on the GPU before
    [[nodiscard]] bool empty() const noexcept { return size == 0; }
    [[nodiscard]] std::size_t bytes() const noexcept { return size * sizeof(T); }
};

/// Arrays of the host side by side in one allocation on the GPU, and room for others behind them. To allocate and copy
/// each of a few small ones takes longer than to copy a small matrix. Arrays that are on the GPU stay where they are.
class PackedArrays {
public:
    /// `host` must stay until `upload` has returned and, where it is large, until the stream has passed that.
    template <class T>
    PackedPart<T> add(std::span<const T> host) {
        const PackedPart<T> part = add_room<T>(host.size());
        if (part.empty()) return part;
        arrays_.push_back({host.data(), host.size_bytes(), part.offset});
        copied_ = bytes_;
        return part;
    }
    /// An array that is on the GPU, which this keeps.
    template <class T>
    PackedPart<T> add(DeviceBuffer<T>&& there) {
        const auto kept = std::make_shared<const DeviceBuffer<T>>(std::move(there));
        kept_.push_back(kept);
        return {.offset = 0, .size = kept->size(), .there = kept->data()};
    }
    template <class T>
    PackedPart<T> add(const Buffer<T>& host) {
        return add(std::span<const T>(host.data(), host.size()));
    }
    template <class T>
    PackedPart<T> add(const std::vector<T>& host) {
        return add(std::span<const T>(host));
    }
    /// For `size` values that kernels write, behind the arrays that are copied.
    template <class T>
    PackedPart<T> add_room(std::size_t size) {
        constexpr std::size_t kAlignment = 256;  // that of an allocation
        if (size == 0) return {};
        const std::size_t offset = (bytes_ + kAlignment - 1) / kAlignment * kAlignment;
        bytes_ = offset + size * sizeof(T);
        return {.offset = offset, .size = size};
    }
    /// Once, when all are added. The stream must outlive this object.
    void upload(const DeviceContext& on);

    /// Null for an empty part.
    template <class T>
    [[nodiscard]] const T* data(const PackedPart<T>& part) const {
        if (part.empty() || part.there != nullptr) return part.there;
        return reinterpret_cast<const T*>(memory_.data() + part.offset);
    }
    template <class T>
    [[nodiscard]] T* room(const PackedPart<T>& part) {
        return part.empty() ? nullptr : reinterpret_cast<T*>(memory_.data() + part.offset);
    }

private:
    struct Array {
        const void* data;
        std::size_t bytes;
        std::size_t offset;
    };

    std::vector<Array> arrays_;
    std::size_t bytes_ = 0;
    std::size_t copied_ = 0;  // the first of these bytes
    std::vector<std::shared_ptr<const void>> kept_;
    DeviceBuffer<std::byte> memory_;
};

}  // namespace tilespmv::cuda
