#pragma once

#include <array>
#include <span>

#include "tile/options/options.hpp"
#include "tile/types.hpp"

/// What the kernels for CSR do unless they are told otherwise.
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
};

/// What is to be known of the lengths of rows: their rounds with 2, 4, 8, 16 and 32 threads.
using RowLengths = std::array<RowRounds, 5>;

/// Of a CSR matrix, by one pass over its rows + 1 row pointers, in parallel. `flight` is a power of 2.
RowLengths row_lengths(std::span<const offset_t> row_ptrs, int flight);

/// Threads of csr-vector for a row by the lengths of all rows: those of the least time, which is that of all rounds, as
/// many of them at once as a GPU holds, and of the longest row's, which wait for each other. A round takes the time of
/// its memory requests, which hardly depend on the threads, and of its lanes. For rows of equal length these are the
/// fewest threads that leave to each at most what it has in flight.
int threads_per_row(const RowLengths& lengths);

/// How csr-vector takes a row.
struct VectorShape {
    int threads = 0;  ///< of a row
    int flight = 0;   ///< nonzeros that a thread has in flight

    friend bool operator==(const VectorShape&, const VectorShape&) = default;
};

/// Reads the options threads, rule and flight, all of them, and chooses what is not given: 4 nonzeros in flight,
/// threads by the lengths of all rows. Throws a usage `Error` for a rule beside threads. `row_ptrs`: those of the
/// matrix.
VectorShape vector_shape(Options& options, std::span<const offset_t> row_ptrs);

inline constexpr int kMultiroundMaxThreads = 512;

/// How csr-multiround cuts its work.
struct MultiroundShape {
    int rows = 0;      ///< N: consecutive rows of a block
    int threads = 0;   ///< M: threads of a block
    int products = 0;  ///< R: products that a thread computes per round
    int group = 0;     ///< 2^k: threads that add up a row, at most those of the block

    friend bool operator==(const MultiroundShape&, const MultiroundShape&) = default;
};

/// Reads the options rows, threads, products and group, all of them, and chooses what is not given: 256 threads, or
/// as many as a group that is given, and 8 products; the smallest group, up to a warp, for which the rows of a block,
/// as many as it has groups, fill at most 7/8 of a round in the mean. Throws a usage `Error` if the block has fewer
/// groups than rows.
MultiroundShape multiround_shape(Options& options, index_t rows, offset_t nnz);

}  // namespace tilespmv::cuda
