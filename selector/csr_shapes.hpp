#pragma once

#include <array>
#include <cstdint>
#include <span>

#include "selector/auto/matrix_features.hpp"
#include "selector/tuning.hpp"
#include "tile/types.hpp"

/// How many threads the operators on CSR give to rows: pure functions of the lengths of rows.
namespace tilespmv {

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

/// What one pass over row pointers tells.
struct RowStatistics {
    RowLengths rounds{};
    double squares = 0;      ///< sum of the squares of all lengths
    offset_t longest = 0;    ///< length of the longest row
    offset_t empty = 0;      ///< number of rows without nonzeros
    offset_t even = 0;       ///< nonzeros of tile rows that `even_nonzeros` finds
    offset_t tile_rows = 0;  ///< that hold nonzeros
};

/// Nonzeros of a tile row if by their number it can be nothing but full tiles: its rows, of which these are the 17 row
/// pointers, have equally many, a multiple of 16; else 0.
offset_t even_nonzeros(std::span<const offset_t, kTileSize + 1> row_ptrs);

/// Of a CSR matrix, by its rows + 1 row pointers, in parallel.
RowStatistics row_statistics(std::span<const offset_t> row_ptrs);
inline RowLengths row_lengths(std::span<const offset_t> row_ptrs) { return row_statistics(row_ptrs).rounds; }

/// Lanes of a row of sell by its nonzeros, of which a lane takes at most `steps`: the fewest that are a power of 2.
/// More than a warp are pieces of the row; of a row that needs more of them than a block has warps (2, 4, 8, ...) they
/// are those of whole blocks, with up to twice as many steps, since to add up what several blocks have takes longer. 0
/// of an empty row.
constexpr offset_t sell_lanes(offset_t length, int steps, int block_warps = 8) {
    const offset_t block = offset_t{block_warps} * 32;
    const offset_t lanes = div_up(length, offset_t{steps});
    if (lanes > block) return div_up(lanes, 2 * block) * block;
    offset_t power = 1;  // not by <bit>, whose functions nvcc takes for undefined on a GPU
    while (power < lanes) power *= 2;
    return lanes == 0 ? 0 : power;
}
/// Of all rows, in parallel.
offset_t sell_lanes(std::span<const offset_t> row_ptrs, int steps);

/// The rounds of groups of this shape. Throws `std::out_of_range` for a shape that csr-vector does not have.
const RowRounds& rounds_of(const RowLengths& lengths, const VectorShape& shape);

/// The shape of csr-vector by the lengths of all rows, of those with 2 to 32 threads a row and a number of nonzeros in
/// flight of `flights`: that of the least time, which is that of all rounds, as many of them at once as a GPU holds,
/// and of the longest row's, which wait for each other.
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

/// Inodes of at most so many rows.
struct InodeLengths {
    offset_t inodes = 0;
    RowLengths rounds{};  ///< of their columns
};

/// For each of kInodeRows. `alike`: for each row, 1 if it has the columns of the row before.
std::array<InodeLengths, kInodeRows.size()> inode_lengths(std::span<const offset_t> row_ptrs,
                                                          std::span<const std::uint8_t> alike);

/// Warps of csr-inode that a multiprocessor holds, by the registers of a thread as compiled for Hopper, 32 to 96.
/// Throws `std::out_of_range` for a shape that csr-inode does not have.
constexpr int inode_warps(const InodeShape& shape, const NumberSizes& of) {
    constexpr std::array<std::array<std::array<int, kInodeFlights.size()>, kInodeRows.size()>, 3> kWarps{{
        {{{64, 48}, {48, 48}, {48, 40}, {40, 32}, {40, 32}}},
        {{{64, 40}, {48, 32}, {40, 32}, {40, 32}, {32, 24}}},
        {{{64, 40}, {48, 32}, {40, 24}, {32, 24}, {32, 16}}},
    }};
    const std::size_t wide = (of.value == 8 ? 1u : 0u) + (of.sum == 8 ? 1u : 0u);
    const auto rows = static_cast<std::size_t>(shape.rows - kInodeRows.front());
    return kWarps.at(wide).at(rows).at(shape.flight > kInodeFlights.front() ? 1 : 0);
}

/// Cycles of csr-inode, about: of threads that wait for their rounds, those of the inode of most columns or of all
/// waves of warps, one after the other, and of the requests that a multiprocessor makes; the root of the sum of their
/// squares, since each hides some of the other. `lengths`: of inodes of at most `shape.rows` rows.
double inode_time(const InodeLengths& lengths, const InodeShape& shape, const NumberSizes& of, const Gpu& gpu);

/// `given`, with what is 0 in it chosen: that of the least `inode_time`. `lengths`: as `inode_lengths` returns them.
InodeShape inode_shape(std::span<const InodeLengths, kInodeRows.size()> lengths, const InodeShape& given,
                       const NumberSizes& of, const Gpu& gpu);

/// Nonzeros of a lane of csr5: the smallest of 4, 8 and 16 that is at least nnz / rows, else 16. With longer rows fewer
/// end in a lane, and sums that stay in a lane are free.
int csr5_sigma(index_t rows, offset_t nnz);

}  // namespace tilespmv
