#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "kernels/cuda/split_row.hpp"
#include "kernels/cuda/tuning.hpp"
#include "selector/work_sizes.hpp"
#include "tile/types.hpp"

/// CSR cut into row blocks, of consecutive rows, by their nonzeros (CSR-stream, CSR-vector and CSR-vector-L: Greathouse
/// and Daga, "Efficient sparse matrix-vector multiplication on GPUs using the CSR storage format", SC 2014; Daga and
/// Greathouse, "Structural agnostic SpMV: adapting CSR-adaptive for irregular matrices", HiPC 2015). CSR stays as it
/// is.
namespace tilespmv::cuda {

/// A row block, which one team of threads multiplies: several rows, whose partial products go through shared memory
/// (stream); or a row, or a piece of one, that all threads add up (vector).
struct alignas(16) AdaptiveBlock {
    std::int64_t first_nonzero = 0;
    std::uint32_t first_row = 0;
    std::int32_t nonzeros = 0;
    std::int32_t partial = -1;  ///< position of a piece's partial sum, -1: its team writes y itself
    std::int32_t split = -1;    ///< position in `AdaptivePlan::splits`
    std::uint16_t rows = 0;
    std::uint16_t threads_log2 = 0;  ///< threads that add up one of several rows, as a power of 2
};
static_assert(sizeof(AdaptiveBlock) == 32);

/// How rows are cut into row blocks.
struct AdaptiveLimits {
    static constexpr int kEach = kRowBlockNonzeros;  ///< nonzeros of a thread in shared memory

    int threads = 0;         ///< of a team, a power of 2
    int block_nonzeros = 0;  ///< of a row block of several rows, at most kEach * threads
    int piece_nonzeros = 0;  ///< of a piece of a longer row, at least as many
    int whole_row = 0;       ///< of a row that is one piece

    [[nodiscard]] int max_rows() const { return kRowBlockRows * threads; }
};

/// Threads that add up a row of a row block of so many, as a power of 2: all of them have a row, up to a warp the same
/// one.
TILESPMV_HD constexpr int adaptive_threads_log2(unsigned rows, int threads) {
    int log2 = 0;
    while (log2 < 5 && rows << (log2 + 1) <= static_cast<unsigned>(threads)) ++log2;
    return log2;
}

/// Those for `nonzeros` nonzeros on a GPU, by `row_block_limits`.
AdaptiveLimits adaptive_limits(offset_t nonzeros, int threads, const Gpu& gpu);

/// The row blocks of a matrix; in the memory of the host.
struct AdaptivePlan {
    std::vector<AdaptiveBlock> blocks;
    std::vector<SplitRow> splits;  ///< rows in several row blocks
    std::uint32_t partials = 0;    ///< partial sums that their pieces leave
    offset_t in_long_rows = 0;     ///< nonzeros of rows longer than a row block
};

/// Every row in one row block, or its nonzeros in as many even pieces as its length takes. `row_ptrs`: those of a CSR
/// matrix.
AdaptivePlan make_adaptive_plan(std::span<const offset_t> row_ptrs, const AdaptiveLimits& limits);

}  // namespace tilespmv::cuda
