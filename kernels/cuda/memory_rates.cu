#include "kernels/cuda/memory_rates.hpp"

#include <algorithm>
#include <cstdint>
#include <limits>

#include "kernels/cuda/device_buffer.hpp"
#include "kernels/cuda/stream.hpp"
#include "tile/types.hpp"

namespace tilespmv::cuda {
namespace {

constexpr int kThreads = 256;
constexpr int kUnroll = 4;  // loads of 16 bytes that a thread has in flight
constexpr std::int64_t kBlockVectors = kThreads * kUnroll;

// Both kernels: n is a multiple of kBlockVectors, a block takes kBlockVectors consecutive vectors.
__device__ std::int64_t first_vector() { return blockIdx.x * kBlockVectors + threadIdx.x; }

// Writes only if the sum is a value that no array here has, so that the loads cannot be left out.
__global__ void read_kernel(const double2* a, double* sink) {
    const std::int64_t first = first_vector();
    double2 v[kUnroll];
#pragma unroll
    for (int k = 0; k < kUnroll; ++k) v[k] = a[first + k * kThreads];
    double sum = 0;
#pragma unroll
    for (int k = 0; k < kUnroll; ++k) sum += v[k].x + v[k].y;
    if (sum == -1.0) *sink = sum;
}

__global__ void copy_kernel(double2* a, const double2* b) {
    const std::int64_t first = first_vector();
    double2 v[kUnroll];
#pragma unroll
    for (int k = 0; k < kUnroll; ++k) v[k] = b[first + k * kThreads];
#pragma unroll
    for (int k = 0; k < kUnroll; ++k) a[first + k * kThreads] = v[k];
}

__global__ void delay_kernel(std::int64_t nanoseconds) {
    const auto now = [] {
        std::int64_t time = 0;
        asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(time));
        return time;
    };
    const std::int64_t start = now();
    while (now() - start < nanoseconds) __nanosleep(200);
}

unsigned blocks_of(std::int64_t vectors) { return static_cast<unsigned>(vectors / kBlockVectors); }

/// The least seconds of some passes, each behind a delay so that the host is ahead of the stream.
template <class F>
double least_seconds(cudaStream_t stream, int passes, F&& pass) {
    constexpr int kHeadStartNanoseconds = 20'000;
    Event start;
    Event end;
    double least = std::numeric_limits<double>::infinity();
    for (int i = 0; i < passes; ++i) {
        launch_delay(kHeadStartNanoseconds, stream);
        start.record(stream);
        pass();
        TILESPMV_CUDA(cudaGetLastError());
        end.record(stream);
        end.synchronize();
        least = std::min(least, end.seconds_since(start));
    }
    return least;
}

}  // namespace

std::size_t memory_rates_array_bytes(std::size_t l2_bytes, std::size_t free_bytes) {
    constexpr std::size_t kGiB = std::size_t{1} << 30;
    return std::min(std::max(32 * l2_bytes, kGiB), free_bytes / 4);
}

MemoryRates measure_memory_rates(cudaStream_t stream, std::size_t array_bytes, int passes) {
    const auto vectors = static_cast<std::int64_t>(array_bytes / sizeof(double2));
    const std::int64_t n = div_up(vectors, 2 * kBlockVectors) * kBlockVectors;  // of each of two arrays
    const DeviceBuffer<double2> memory(static_cast<std::size_t>(2 * n), stream);
    const DeviceBuffer<double> sink(1, stream);
    TILESPMV_CUDA(cudaMemsetAsync(memory.data(), 0, memory.bytes(), stream));
    double2* const a = memory.data();
    const double bytes = static_cast<double>(n) * sizeof(double2);
    const double read =
        least_seconds(stream, passes, [&] { read_kernel<<<blocks_of(2 * n), kThreads, 0, stream>>>(a, sink.data()); });
    const double copy =
        least_seconds(stream, passes, [&] { copy_kernel<<<blocks_of(n), kThreads, 0, stream>>>(a, a + n); });
    return {2 * bytes / read, 2 * bytes / copy};
}

void launch_delay(int nanoseconds, cudaStream_t stream) {
    delay_kernel<<<1, 1, 0, stream>>>(nanoseconds);
    TILESPMV_CUDA(cudaGetLastError());
}

}  // namespace tilespmv::cuda
