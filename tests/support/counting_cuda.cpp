// Stands before the functions of CUDA that allocate. The linker lets `__wrap_F` take the place of F, which is called
// `__real_F` then.
#include "tests/support/counting_cuda.hpp"

#include <array>
#include <atomic>
#include <cstddef>
#include <numeric>

#include <cuda_runtime_api.h>

namespace {

enum Function { malloc_now, malloc_async, malloc_from_pool, malloc_managed, malloc_host, host_alloc, count };

std::array<std::atomic<long>, count> calls{};
std::atomic<long> bytes_to_host = 0;

bool is_on_gpu(const void* memory) {
    cudaPointerAttributes attributes{};
    return cudaPointerGetAttributes(&attributes, memory) == cudaSuccess && attributes.type == cudaMemoryTypeDevice;
}

}  // namespace

// NOLINTBEGIN(bugprone-reserved-identifier,readability-identifier-naming): the linker's names.
extern "C" {

cudaError_t __real_cudaMalloc(void** memory, std::size_t bytes);
cudaError_t __wrap_cudaMalloc(void** memory, std::size_t bytes) {
    ++calls[malloc_now];
    return __real_cudaMalloc(memory, bytes);
}

cudaError_t __real_cudaMallocAsync(void** memory, std::size_t bytes, cudaStream_t stream);
cudaError_t __wrap_cudaMallocAsync(void** memory, std::size_t bytes, cudaStream_t stream) {
    ++calls[malloc_async];
    return __real_cudaMallocAsync(memory, bytes, stream);
}

cudaError_t __real_cudaMallocFromPoolAsync(void** memory, std::size_t bytes, cudaMemPool_t pool, cudaStream_t stream);
cudaError_t __wrap_cudaMallocFromPoolAsync(void** memory, std::size_t bytes, cudaMemPool_t pool, cudaStream_t stream) {
    ++calls[malloc_from_pool];
    return __real_cudaMallocFromPoolAsync(memory, bytes, pool, stream);
}

cudaError_t __real_cudaMallocManaged(void** memory, std::size_t bytes, unsigned flags);
cudaError_t __wrap_cudaMallocManaged(void** memory, std::size_t bytes, unsigned flags) {
    ++calls[malloc_managed];
    return __real_cudaMallocManaged(memory, bytes, flags);
}

cudaError_t __real_cudaMallocHost(void** memory, std::size_t bytes);
cudaError_t __wrap_cudaMallocHost(void** memory, std::size_t bytes) {
    ++calls[malloc_host];
    return __real_cudaMallocHost(memory, bytes);
}

cudaError_t __real_cudaHostAlloc(void** memory, std::size_t bytes, unsigned flags);
cudaError_t __wrap_cudaHostAlloc(void** memory, std::size_t bytes, unsigned flags) {
    ++calls[host_alloc];
    return __real_cudaHostAlloc(memory, bytes, flags);
}

cudaError_t __real_cudaMemcpyAsync(void* to, const void* from, std::size_t bytes, cudaMemcpyKind kind,
                                   cudaStream_t stream);
cudaError_t __wrap_cudaMemcpyAsync(void* to, const void* from, std::size_t bytes, cudaMemcpyKind kind,
                                   cudaStream_t stream) {
    if (is_on_gpu(from) && !is_on_gpu(to)) bytes_to_host += static_cast<long>(bytes);
    return __real_cudaMemcpyAsync(to, from, bytes, kind, stream);
}

}  // extern "C"
// NOLINTEND(bugprone-reserved-identifier,readability-identifier-naming)

namespace tilespmv::testing {

long device_allocations_so_far() { return std::accumulate(calls.begin(), calls.end(), 0L); }

long bytes_to_host_so_far() { return bytes_to_host; }

long calls_so_far(const std::string& function) {
    const auto& all = counted_functions();
    for (std::size_t i = 0; i < all.size(); ++i) {
        if (all[i] == function) return calls.at(i);
    }
    return 0;
}

}  // namespace tilespmv::testing
