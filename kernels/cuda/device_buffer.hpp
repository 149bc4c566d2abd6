#pragma once

#include <cstddef>
#include <span>
#include <utility>

#include <cuda_runtime_api.h>

#include "kernels/cuda/device_memory.hpp"
#include "kernels/cuda/device_span.hpp"
#include "kernels/cuda/error.hpp"
#include "kernels/cuda/host_copy.hpp"
#include "tile/buffer.hpp"

namespace tilespmv::cuda {

/// An array in device memory, with `kSlackBytes` behind it. Given back in the order of the stream it was made on, which
/// must outlive it. Move-only.
template <class T>
class DeviceBuffer {
public:
    DeviceBuffer() = default;
    DeviceBuffer(std::size_t size, const DeviceContext& on) : on_(on), size_(size) {
        if (size == 0) return;
        data_ = static_cast<T*>(on_.memory->allocate(bytes() + kSlackBytes, on_.stream));
        static_cast<void>(
            cudaMemsetAsync(data_ + size_, 0, kSlackBytes, on_.stream));  // a failure shows in the next call
    }
    /// A copy of host data, begun on the stream; `host` must stay until the stream has passed it.
    DeviceBuffer(std::span<const T> host, const DeviceContext& on) : DeviceBuffer(host.size(), on) {
        copy_to_device(data_, host.data(), host.size_bytes(), on.stream);
    }
    DeviceBuffer(const Buffer<T>& host, const DeviceContext& on)
        : DeviceBuffer(std::span<const T>(host.data(), host.size()), on) {}
    /// Takes over memory of `on.memory` for as many elements and the slack, zeroed, behind them.
    DeviceBuffer(T* data, std::size_t size, const DeviceContext& on) : on_(on), data_(data), size_(size) {}

    DeviceBuffer(DeviceBuffer&& other) noexcept { swap(other); }
    DeviceBuffer& operator=(DeviceBuffer&& other) noexcept {
        DeviceBuffer(std::move(other)).swap(*this);
        return *this;
    }
    DeviceBuffer(const DeviceBuffer&) = delete;
    DeviceBuffer& operator=(const DeviceBuffer&) = delete;
    ~DeviceBuffer() {
        if (data_ != nullptr) on_.memory->deallocate(data_, bytes() + kSlackBytes, on_.stream);
    }

    [[nodiscard]] T* data() const noexcept { return data_; }
    [[nodiscard]] std::size_t size() const noexcept { return size_; }
    [[nodiscard]] std::size_t bytes() const noexcept { return size_ * sizeof(T); }
    [[nodiscard]] bool empty() const noexcept { return size_ == 0; }

    [[nodiscard]] DeviceSpan<T> span() noexcept { return {data_, size_}; }
    [[nodiscard]] DeviceSpan<const T> span() const noexcept { return {data_, size_}; }

    void upload(std::span<const T> host, cudaStream_t stream) {
        copy_to_device(data_, host.data(), host.size_bytes(), stream);
    }
    void download(std::span<T> host, cudaStream_t stream) const {
        TILESPMV_CUDA(cudaMemcpyAsync(host.data(), data_, host.size_bytes(), cudaMemcpyDeviceToHost, stream));
    }

private:
    void swap(DeviceBuffer& other) noexcept {
        std::swap(on_, other.on_);
        std::swap(data_, other.data_);
        std::swap(size_, other.size_);
    }

    DeviceContext on_;
    T* data_ = nullptr;
    std::size_t size_ = 0;
};

}  // namespace tilespmv::cuda
