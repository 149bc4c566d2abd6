#pragma once

#include <cstddef>

#include "tile/types.hpp"

/// What the kernels for the CPU are compiled with, measured as `bench/NOTES.md`, "tile-omp against csr-omp", says. What
/// is chosen for each matrix is in `selector/tuning.hpp`.
namespace tilespmv::cpu {

/// Bytes from the prefetch of values and indices to their use: the hardware prefetcher alone leaves a fifth of the
/// bandwidth unused. 3, 6 and 8 KiB are within the noise, 2 KiB is slower.
inline constexpr int kStreamPrefetchBytes = 4096;
/// Tiles from the prefetch of x to its use; 16 and 32 are within the noise.
inline constexpr offset_t kTilePrefetchDistance = 8;
/// Rows of so few nonzeros are not worth a vector, of which gathers fill most lanes in vain: tile-omp on circuit from
/// 54 to 43 ms, csr-omp on roads from 40 to 26. 3 and 4 are within the noise; 8 is faster on the EPYC (5-point grid)
/// and slower on the Xeon (Delaunay).
inline constexpr offset_t kScalarRow = 2;
/// Nonzeros of single tiles that are collected before they are added, and sums a row, so that additions to the same row
/// need not wait for each other; not swept.
inline constexpr int kPendingSingles = 256;
inline constexpr int kSumsPerRow = 4;

/// Copies of X and Y of so many bytes pass the caches: on the way into them lines would be read first ("Several
/// columns" in `bench/NOTES.md`); not swept.
inline constexpr std::size_t kStreamedBytes = std::size_t{8} << 20;

/// Rows of X in column-major layout are copied to a ring of at most so many bytes, and a thread has so many runs of
/// chunks, each with the rows of a ring to copy first.
inline constexpr std::size_t kWindowBytes = std::size_t{4} << 20;
inline constexpr int kRunsOfThread = 4;

/// Nonzeros of COO that a thread takes at a time; not swept.
inline constexpr int kCooPiece = 2048;

}  // namespace tilespmv::cpu
