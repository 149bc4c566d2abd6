#pragma once

#include <cstddef>
#include <cstdint>

#include "bench/harness/timer.hpp"

namespace tilespmv::bench {

/// What the memory of a device delivers, in bytes per second: the best of several passes over arrays that are much
/// larger than its last-level cache.
struct Bandwidth {
    double read = 0;  ///< sum of an array
    double copy = 0;  ///< a = b; bytes read and written

    friend bool operator==(const Bandwidth&, const Bandwidth&) = default;
};

/// Words of 8 bytes that a thread takes at a time; arrays have a multiple of them, aligned to vectors.
inline constexpr std::int64_t kBandwidthBlock = 32 * 1024;

/// What is timed, over arrays of `words` words, with all threads: the sum of `a`, modulo 2^64; a = b.
std::uint64_t read_pass(const std::uint64_t* a, std::int64_t words);
void copy_pass(double* a, const double* b, std::int64_t words);

/// Bytes of the arrays that the bandwidth of a processor is measured on: four times its cache, at least 192 MiB, but no
/// more than a quarter of the memory that is free.
std::size_t bandwidth_array_bytes(std::size_t cache_bytes, std::size_t free_memory_bytes);

/// The bandwidth of this machine with all threads of OpenMP, over arrays of `array_bytes` together, `passes` times.
Bandwidth measure_bandwidth(Stopwatch& stopwatch, std::size_t array_bytes, int passes);

}  // namespace tilespmv::bench
