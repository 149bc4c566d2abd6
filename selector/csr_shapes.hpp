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

/// How csr-vector takes a row.
struct VectorShape {
    int threads = 0;  ///< of a row
    int flight = 0;   ///< nonzeros that a thread has in flight

    friend bool operator==(const VectorShape&, const VectorShape&) = default;
};

/// Nonzeros of a thread in flight that csr-vector chooses from.
inline constexpr std::array kVectorFlights{4, 8};
/// ... if it takes turns: blocks that fill a multiprocessor have no registers for more ("Turns of csr-vector").
inline constexpr std::array kTurnFlights{4};

/// The rounds in which groups of threads read their rows, if a group reads `nonzeros` of its row in a round:
/// ceil(length / nonzeros) for a row, one for an empty row.
struct RowRounds {
    int nonzeros = 0;      ///< threads of a group times nonzeros that a thread has in flight
    offset_t all = 0;      ///< of all rows together
    offset_t longest = 0;  ///< of the longest row: one after the other, whatever else there is
    /// Lanes that sell gives all rows together, if a lane takes at most so many of their nonzeros (`sell_lanes`).
    offset_t lanes = 0;

    friend bool operator==(const RowRounds&, const RowRounds&) = default;
};

/// What is to be known of the lengths of rows: their rounds of 2, 4, 8, ... 256 nonzeros.
using RowLengths = std::array<RowRounds, 8>;

/// What one pass over row pointers tells.
struct RowStatistics {
    RowLengths rounds{};
    double squares = 0;    ///< sum of the squares of all lengths
    offset_t longest = 0;  ///< length of the longest row
    offset_t empty = 0;    ///< number of rows without nonzeros
};

/// Of a CSR matrix, by its rows + 1 row pointers, in parallel.
RowStatistics row_statistics(std::span<const offset_t> row_ptrs);
inline RowLengths row_lengths(std::span<const offset_t> row_ptrs) { return row_statistics(row_ptrs).rounds; }

/// Lanes of a row of sell by its nonzeros, of which a lane takes at most `steps`: the fewest that are a power of 2.
/// More than a warp are pieces of the row; of a row that needs more of them than a block has warps (2, 4, 8, ...) they
/// are those of whole blocks, with up to twice as many steps, since to add up what several blocks have takes longer. 0
/// of an empty row.
offset_t sell_lanes(offset_t length, int steps, int block_warps = 8);

/// The rounds of groups of this shape. Throws `std::out_of_range` for a shape that csr-vector does not have.
const RowRounds& rounds_of(const RowLengths& lengths, const VectorShape& shape);

/// Relative to that of a thread with four nonzeros in flight ...
struct VectorRound {
    double time = 0;     ///< ... of a round among many
    double latency = 0;  ///< ... and of one that others wait for, in rounds among many
};
VectorRound round_of(const VectorShape& shape, const VectorTuning& tuning);

/// The shape of csr-vector by the lengths of all rows, of those with 2 to 32 threads a row and a number of nonzeros in
/// flight of `flights`, which ascend: that of the least time, which is that of all rounds, as many of them at once as a
/// GPU holds, and of the longest row's, which wait for each other. A shape with more in flight than the first of
/// `flights` is taken only if its rounds times its threads are at most `most_deep_threads`.
VectorShape vector_shape(const RowLengths& lengths, std::span<const int> flights, const VectorTuning& tuning);

/// How csr-inode takes inodes: consecutive rows with nonzeros in the same columns.
struct InodeShape {
    int rows = 0;     ///< of an inode at most
    int threads = 0;  ///< of an inode
    int flight = 0;   ///< columns that a thread has in flight

    friend bool operator==(const InodeShape&, const InodeShape&) = default;
};

/// What csr-inode chooses from.
inline constexpr std::array kInodeRows{2, 3, 4, 5, 6};
inline constexpr std::array kInodeThreads{8, 16, 32};
inline constexpr std::array kInodeFlights{2, 4};

/// Of the columns of inodes of at most so many rows as each of kInodeRows says. `alike`: for each row, 1 if it has the
/// columns of the row before.
std::array<RowLengths, kInodeRows.size()> inode_lengths(std::span<const offset_t> row_ptrs,
                                                        std::span<const std::uint8_t> alike);

/// Relative time of csr-inode, by the rounds in which groups of threads read the columns of their inodes. A round takes
/// the time of its requests, more if threads have many values in flight, and that of all places that it has for values
/// and x, filled or not; the rounds of the inode of most columns wait for each other. `lengths`: of the columns of
/// inodes of at most `shape.rows` rows.
double inode_time(const RowLengths& lengths, const InodeShape& shape, const InodeTuning& tuning);

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
