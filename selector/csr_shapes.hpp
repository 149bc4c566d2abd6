#pragma once

#include <array>
#include <span>

#include "selector/tuning.hpp"
#include "tile/types.hpp"

/// How many threads the operators on CSR give to rows: pure functions of the lengths of rows.
namespace tilespmv::cuda {

/// Threads of csr-vector for a row by the well-known rule of the mean row length alone: the smallest power of 2 from 2
/// to 32 that is at least nnz / rows (Bell and Garland, SC 2009, took a warp; later work this many).
int threads_of_mean_row(index_t rows, offset_t nnz);

/// The rounds in which groups of `threads` threads read their rows, if a thread has `flight` nonzeros of its row in
/// flight: ceil(length / (threads * flight)) for a row, one for an empty row.
struct RowRounds {
    int threads = 0;
    offset_t all = 0;      ///< of all rows together
    offset_t longest = 0;  ///< of the longest row: one after the other, whatever else there is

    friend bool operator==(const RowRounds&, const RowRounds&) = default;
};

/// What is to be known of the lengths of rows: their rounds with 2, 4, 8, 16 and 32 threads.
using RowLengths = std::array<RowRounds, 5>;

/// Of a CSR matrix, by one pass over its rows + 1 row pointers, in parallel. `flight` is a power of 2.
RowLengths row_lengths(std::span<const offset_t> row_ptrs, int flight);

/// Threads of csr-vector for a row by the lengths of all rows: those of the least time, which is that of all rounds, as
/// many of them at once as a GPU holds, and of the longest row's, which wait for each other. A round takes the time of
/// its memory requests, which hardly depend on the threads, and of its lanes. For rows of equal length these are the
/// fewest threads that leave to each at most what it has in flight.
int threads_per_row(const RowLengths& lengths, const VectorTuning& tuning);

/// How csr-multiround divides its work.
struct MultiroundShape {
    int rows = 0;      ///< N: consecutive rows of a block
    int threads = 0;   ///< M: threads of a block
    int products = 0;  ///< R: partial products that a thread computes in a round
    int group = 0;     ///< 2^k: threads that add up a row, at most those of the block

    friend bool operator==(const MultiroundShape&, const MultiroundShape&) = default;
};

/// Chooses the members of `given` that are 0 for a matrix of `rows` rows and `nnz` nonzeros: the threads and partial
/// products of `tuning` (or as many threads as a group that is given); the smallest group, up to a warp, for which the
/// rows of a block, as many as it has groups, leave free in the mean what `tuning` says. Given rows and threads may be
/// too many for the groups.
MultiroundShape multiround_shape(MultiroundShape given, index_t rows, offset_t nnz, const MultiroundTuning& tuning);

/// Nonzeros of a lane of csr5: the smallest of 4, 8 and 16 that is at least nnz / rows, else 16. With longer rows fewer
/// end in a lane, and sums that stay in a lane are free.
int csr5_sigma(index_t rows, offset_t nnz);

}  // namespace tilespmv::cuda
