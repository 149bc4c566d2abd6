#pragma once

#include <cstddef>
#include <span>
#include <utility>

#include <cuda_runtime_api.h>

#include "kernels/cuda/error.hpp"
#include "tile/buffer.hpp"

namespace tilespmv::cuda {

/// Device memory, 256-byte aligned, with 16 zeroed bytes behind the last one asked for, so that a copy in 16-byte steps
/// may read past the end. Throws `Error` naming the bytes asked for and those that are free.
void* allocate_device(std::size_t bytes);

/// An array in device memory, freed with it. Move-only.
template <class T>
class DeviceBuffer {
public:
    DeviceBuffer() = default;
    explicit DeviceBuffer(std::size_t size) : data_(static_cast<T*>(allocate_device(size * sizeof(T)))), size_(size) {}
    /// A copy of host data, begun on `stream`; `host` must stay until the stream has passed it.
    DeviceBuffer(std::span<const T> host, cudaStream_t stream) : DeviceBuffer(host.size()) {
        TILESPMV_CUDA(cudaMemcpyAsync(data_, host.data(), host.size_bytes(), cudaMemcpyHostToDevice, stream));
    }
    DeviceBuffer(const Buffer<T>& host, cudaStream_t stream)
        : DeviceBuffer(std::span<const T>(host.data(), host.size()), stream) {}

    DeviceBuffer(DeviceBuffer&& other) noexcept { swap(other); }
    DeviceBuffer& operator=(DeviceBuffer&& other) noexcept {
        DeviceBuffer(std::move(other)).swap(*this);
        return *this;
    }
    DeviceBuffer(const DeviceBuffer&) = delete;
    DeviceBuffer& operator=(const DeviceBuffer&) = delete;
    ~DeviceBuffer() { static_cast<void>(cudaFree(data_)); }  // nothing to be done about an error here

    [[nodiscard]] T* data() const noexcept { return data_; }
    [[nodiscard]] std::size_t size() const noexcept { return size_; }
    [[nodiscard]] std::size_t bytes() const noexcept { return size_ * sizeof(T); }
    [[nodiscard]] bool empty() const noexcept { return size_ == 0; }

    void upload(std::span<const T> host, cudaStream_t stream) {
        TILESPMV_CUDA(cudaMemcpyAsync(data_, host.data(), host.size_bytes(), cudaMemcpyHostToDevice, stream));
    }
    void download(std::span<T> host, cudaStream_t stream) const {
        TILESPMV_CUDA(cudaMemcpyAsync(host.data(), data_, host.size_bytes(), cudaMemcpyDeviceToHost, stream));
    }

private:
    void swap(DeviceBuffer& other) noexcept {
        std::swap(data_, other.data_);
        std::swap(size_, other.size_);
    }

    T* data_ = nullptr;
    std::size_t size_ = 0;
};

}  // namespace tilespmv::cuda
