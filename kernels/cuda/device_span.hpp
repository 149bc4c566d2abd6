#pragma once

#include <cstddef>
#include <type_traits>

namespace tilespmv::cuda {

/// `size` values in the memory of a GPU, which somebody else owns. Its own type, so that the host does not read it.
template <class T>
class DeviceSpan {
public:
    DeviceSpan() = default;
    DeviceSpan(T* data, std::size_t size) : data_(data), size_(size) {}
    /// One of values that may change is one of values that may not.
    template <class U>
    requires std::is_same_v<T, const U> DeviceSpan(const DeviceSpan<U>& other)  // NOLINT(google-explicit-constructor)
        : data_(other.data()), size_(other.size()) {}

    [[nodiscard]] T* data() const noexcept { return data_; }
    [[nodiscard]] std::size_t size() const noexcept { return size_; }

private:
    T* data_ = nullptr;
    std::size_t size_ = 0;
};

}  // namespace tilespmv::cuda
