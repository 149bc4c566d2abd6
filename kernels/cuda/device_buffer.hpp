#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <utility>

#include <cuda_runtime_api.h>

#include "kernels/block.hpp"
#include "tile/csr.hpp"

namespace tilespmv::cuda {

/// Throws `Error` with the expression, file, line and CUDA's text unless `status` is success.
void check(cudaError_t status, const char* expression, const char* file, int line);

}  // namespace tilespmv::cuda

#define TILESPMV_CUDA(expression) ::tilespmv::cuda::check((expression), #expression, __FILE__, __LINE__)

namespace tilespmv::cuda {

/// Where operators take memory of the GPU from; derive from it to give them an allocator of yours.
class DeviceMemory {
public:
    virtual ~DeviceMemory() = default;
    /// `bytes` (at least 1) of the current GPU, 256-byte aligned, for work that follows on `stream`. Never null; throws
    /// `Error` if there is too little.
    virtual void* allocate(std::size_t bytes, cudaStream_t stream) = 0;
    /// Takes back what `allocate` gave for the same bytes and stream, when the stream has passed what it holds.
    virtual void deallocate(void* memory, std::size_t bytes, cudaStream_t stream) noexcept = 0;
};

/// The default: a pool of the library's own on each GPU, in the order of the stream, which keeps up to 64 MiB that
/// nobody holds; or cudaMalloc on a GPU without pools. Its error names the bytes asked for and those that are free.
std::shared_ptr<DeviceMemory> stream_ordered_memory();

/// The pool from which `stream_ordered_memory` takes memory of this GPU; null on a GPU without pools.
cudaMemPool_t pool_of(int device);

/// The stream on which an object is made, and the memory that it takes.
struct DeviceContext {
    DeviceContext(cudaStream_t on = nullptr,  // NOLINT(google-explicit-constructor): a stream is a context
                  std::shared_ptr<DeviceMemory> from = stream_ordered_memory())
        : stream(on), memory(std::move(from)) {}
    operator cudaStream_t() const { return stream; }  // NOLINT(google-explicit-constructor)

    cudaStream_t stream;
    std::shared_ptr<DeviceMemory> memory;
};

/// Behind an array in device memory, so that a copy in 16-byte steps may read past its end. Not set: to zero it would
/// take as long as to allocate the array.
inline constexpr std::size_t kSlackBytes = 16;

/// Copies host memory to the current GPU in the order of the stream, as cudaMemcpyAsync does; `from` must stay until
/// the stream has passed. Large arrays that are not pinned go through pinned memory of this library, 32 MiB for each
/// GPU, which all threads fill while it is copied: about 6 times as fast as the driver does it with one
/// (`bench/NOTES.md`, "Uploads"). May be called by several threads. Not to be captured into a graph. Throws `Error`.
void copy_to_device(void* to, const void* from, std::size_t bytes, cudaStream_t stream);

/// The same from the GPU to the host, in the order of the stream; returns when the copy is complete. Small results go
/// through pinned memory, too, for which the host waits less long.
void copy_to_host(void* to, const void* from, std::size_t bytes, cudaStream_t stream);

/// An array in device memory, with `kSlackBytes` behind it. Given back in the order of the stream it was made on, which
/// must outlive it. Move-only.
template <class T>
class DeviceBuffer {
public:
    DeviceBuffer() = default;
    /// `size` elements that are not set; throws `Error` as the memory of `on` does.
    DeviceBuffer(std::size_t size, const DeviceContext& on) : on_(on), size_(size) {
        if (size == 0) return;
        data_ = static_cast<T*>(on_.memory->allocate(bytes() + kSlackBytes, on_.stream));
    }
    /// A copy of host data, begun on the stream; `host` must stay until the stream has passed it.
    DeviceBuffer(std::span<const T> host, const DeviceContext& on) : DeviceBuffer(host.size(), on) {
        copy_to_device(data_, host.data(), host.size_bytes(), on.stream);
    }
    DeviceBuffer(const Buffer<T>& host, const DeviceContext& on)
        : DeviceBuffer(std::span<const T>(host.data(), host.size()), on) {}
    /// Takes over memory of `on.memory` for as many elements and the slack behind them.
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

    /// Copies `size()` elements at most, as `copy_to_device` does.
    void upload(std::span<const T> host, cudaStream_t stream) {
        copy_to_device(data_, host.data(), host.size_bytes(), stream);
    }
    /// As `copy_to_host`: returns when the copy is complete.
    void download(std::span<T> host, cudaStream_t stream) const {
        copy_to_host(host.data(), data_, host.size_bytes(), stream);
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
