#pragma once

#include <cstddef>

#include <cuda_runtime_api.h>

namespace tilespmv::cuda {

/// Bytes a second that the memory of a GPU delivers.
struct MemoryRates {
    double read = 0;  ///< sum of an array
    double copy = 0;  ///< a = b; bytes read and written
};

/// Bytes of the arrays that these are measured on, together: 32 times the L2 cache, at least 1 GiB, but no more than a
/// quarter of the memory that is free.
std::size_t memory_rates_array_bytes(std::size_t l2_bytes, std::size_t free_bytes);

/// Of the current GPU on `stream`: the best of so many passes.
MemoryRates measure_memory_rates(cudaStream_t stream, std::size_t array_bytes, int passes);

/// A kernel that does nothing for so long.
void launch_delay(int nanoseconds, cudaStream_t stream);

}  // namespace tilespmv::cuda
