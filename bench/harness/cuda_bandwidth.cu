#include "bench/harness/cuda_bandwidth.hpp"

#include <algorithm>
#include <cstdint>

#include "kernels/cuda/device_buffer.hpp"
#include "tile/types.hpp"

namespace tilespmv::bench {
namespace {

constexpr int kThreads = 256;
constexpr int kUnroll = 4;  // loads of 16 bytes that a thread has in flight
constexpr std::int64_t kBlockVectors = kThreads * kUnroll;

// All three kernels: n is a multiple of kBlockVectors, a block takes kBlockVectors consecutive vectors.
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

// As read_kernel, `rounds` times, from L2: in each round a block reads what others read in the one before.
__global__ void read_again_kernel(const double2* a, int rounds, double* sink) {
    constexpr int kStep = 61;
    double sum = 0;
    for (int round = 0; round < rounds; ++round) {
        const std::int64_t first = (blockIdx.x + kStep * round) % gridDim.x * kBlockVectors + threadIdx.x;
        double2 v[kUnroll];
#pragma unroll
        for (int k = 0; k < kUnroll; ++k) v[k] = __ldcg(a + first + k * kThreads);
#pragma unroll
        for (int k = 0; k < kUnroll; ++k) sum += v[k].x + v[k].y;
        if (sum == -1.0) *sink = sum;  // in each round, so that none can be left out
    }
}

__global__ void copy_kernel(double2* a, const double2* b) {
    const std::int64_t first = first_vector();
    double2 v[kUnroll];
#pragma unroll
    for (int k = 0; k < kUnroll; ++k) v[k] = b[first + k * kThreads];
#pragma unroll
    for (int k = 0; k < kUnroll; ++k) a[first + k * kThreads] = v[k];
}

__global__ void triad_kernel(double2* a, const double2* b, const double2* c) {
    constexpr double kFactor = 3;
    const std::int64_t first = first_vector();
    double2 v[kUnroll];
    double2 w[kUnroll];
#pragma unroll
    for (int k = 0; k < kUnroll; ++k) {
        v[k] = b[first + k * kThreads];
        w[k] = c[first + k * kThreads];
    }
#pragma unroll
    for (int k = 0; k < kUnroll; ++k) {
        a[first + k * kThreads] = {v[k].x + kFactor * w[k].x, v[k].y + kFactor * w[k].y};
    }
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

template <class F>
double best_rate(Stopwatch& stopwatch, double bytes, int passes, F&& pass) {
    double best = 0;
    for (int i = 0; i < passes; ++i) {
        stopwatch.start();
        pass();
        TILESPMV_CUDA(cudaGetLastError());
        best = std::max(best, bytes / stopwatch.stop());
    }
    return best;
}

}  // namespace

std::size_t cuda_bandwidth_array_bytes(std::size_t l2_bytes, std::size_t free_bytes) {
    constexpr std::size_t kGiB = std::size_t{1} << 30;
    return std::min(std::max(32 * l2_bytes, kGiB), free_bytes / 4);
}

Bandwidth measure_cuda_bandwidth(Stopwatch& stopwatch, cudaStream_t stream, std::size_t array_bytes, int passes) {
    const auto vectors = static_cast<std::int64_t>(array_bytes / sizeof(double2));
    const std::int64_t n = div_up(vectors, 3 * kBlockVectors) * kBlockVectors;  // of each of three arrays
    const cuda::DeviceBuffer<double2> memory(static_cast<std::size_t>(3 * n), stream);
    const cuda::DeviceBuffer<double> sink(1, stream);
    TILESPMV_CUDA(cudaMemsetAsync(memory.data(), 0, memory.bytes(), stream));
    double2* const a = memory.data();
    const double bytes = static_cast<double>(n) * sizeof(double2);
    Bandwidth b;
    b.read = best_rate(stopwatch, 3 * bytes, passes,
                       [&] { read_kernel<<<blocks_of(3 * n), kThreads, 0, stream>>>(a, sink.data()); });
    b.copy =
        best_rate(stopwatch, 2 * bytes, passes, [&] { copy_kernel<<<blocks_of(n), kThreads, 0, stream>>>(a, a + n); });
    b.triad = best_rate(stopwatch, 3 * bytes, passes,
                        [&] { triad_kernel<<<blocks_of(n), kThreads, 0, stream>>>(a, a + n, a + 2 * n); });
    return b;
}

double measure_cuda_cache_rate(Stopwatch& stopwatch, cudaStream_t stream, std::size_t bytes, int passes) {
    constexpr int kRounds = 16;
    const auto vectors = static_cast<std::int64_t>(bytes / sizeof(double2)) / kBlockVectors * kBlockVectors;
    const cuda::DeviceBuffer<double2> a(static_cast<std::size_t>(vectors), stream);
    const cuda::DeviceBuffer<double> sink(1, stream);
    TILESPMV_CUDA(cudaMemsetAsync(a.data(), 0, a.bytes(), stream));
    const auto seconds_of = [&](int rounds) {
        double least = 1;
        for (int i = 0; i < passes; ++i) {
            stopwatch.start();
            read_again_kernel<<<blocks_of(vectors), kThreads, 0, stream>>>(a.data(), rounds, sink.data());
            TILESPMV_CUDA(cudaGetLastError());
            least = std::min(least, stopwatch.stop());
        }
        return least;
    };
    const double seconds = seconds_of(kRounds + 1) - seconds_of(1);
    return seconds > 0 ? kRounds * static_cast<double>(a.bytes()) / seconds : 0;
}

void launch_delay(int nanoseconds, cudaStream_t stream) {
    delay_kernel<<<1, 1, 0, stream>>>(nanoseconds);
    TILESPMV_CUDA(cudaGetLastError());
}

}  // namespace tilespmv::bench
