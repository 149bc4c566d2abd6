#pragma once

#include <cstddef>

#include <cuda_runtime_api.h>

#include "bench/harness/bandwidth.hpp"

namespace tilespmv::bench {

/// Bytes of the arrays that the bandwidth of a GPU is measured on, together: 32 times its L2 cache, at least 1 GiB, but
/// no more than a quarter of the memory that is free.
std::size_t cuda_bandwidth_array_bytes(std::size_t l2_bytes, std::size_t free_bytes);

/// The bandwidth of the current GPU on `stream`, which `stopwatch` times: the best of so many passes.
Bandwidth measure_cuda_bandwidth(Stopwatch& stopwatch, cudaStream_t stream, std::size_t array_bytes, int passes);

/// Bytes a second that the L2 cache of the current GPU delivers: the best of so many passes of one kernel that reads
/// `bytes`, which fit it, again and again, past L1.
double measure_cuda_cache_rate(Stopwatch& stopwatch, cudaStream_t stream, std::size_t bytes, int passes);

/// A kernel that does nothing for so long.
void launch_delay(int nanoseconds, cudaStream_t stream);

}  // namespace tilespmv::bench
