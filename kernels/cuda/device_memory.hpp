#pragma once

#include <cstddef>
#include <memory>

#include <cuda_runtime_api.h>

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

/// The pool that it takes memory of this GPU from; null on one without pools.
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

/// Behind an array in device memory, zeroed, so that a copy in 16-byte steps may read past its end.
inline constexpr std::size_t kSlackBytes = 16;

}  // namespace tilespmv::cuda
