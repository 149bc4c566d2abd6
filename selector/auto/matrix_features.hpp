#pragma once

#include <array>
#include <cstddef>

#include "tile/types.hpp"

/// What the choice of an operator (`auto`) knows of a matrix.
namespace tilespmv {

/// Bytes of the numbers of a product, by which times differ.
struct NumberSizes {
    std::size_t value = 8;  ///< of a nonzero and of an element of x and y
    std::size_t sum = 8;    ///< of what a row is accumulated in

    friend bool operator==(const NumberSizes&, const NumberSizes&) = default;
};

/// Places of DIA a nonzero from which on nothing is gained by it: 4 bytes of a column are half a value of float64.
inline constexpr double kMostDiaPlaces = 1.5;
/// Diagonals that are told apart: this number stands for as many or more.
inline constexpr offset_t kMostDiagonals = 1024;

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

/// Lengths of rows are those of all rows; everything about columns is estimated from a sample. A matrix without
/// nonzeros has shares of 0.
struct MatrixFeatures {
    std::size_t value_bytes = 8;
    std::size_t sum_bytes = 8;  ///< of what a product accumulates in
    index_t rows = 0;
    index_t cols = 0;
    offset_t nnz = 0;

    double mean_row = 0;       ///< nonzeros
    double row_deviation = 0;  ///< standard deviation of the nonzeros of a row
    offset_t longest_row = 0;
    double empty_rows = 0;  ///< share of the rows
    RowLengths row_rounds{};

    /// Distinct 32-byte sectors of x for each nonzero, in blocks of 512 consecutive ones: 1 if no two share one.
    double x_sectors = 0;
    double tile_nonzeros = 0;  ///< of a 16 x 16 tile that is not empty, in the mean
    /// Share of the nonzeros in tile rows of nothing but full 16 x 16 tiles (tile). At most the share that can be so by
    /// the lengths of all rows: a tile row at the lower edge is not, nor one with a tile at the right edge.
    double full_tile_share = 0;

    /// Nonzeros over those of rows whose columns are not those of the row before: rows of an inode, in the mean.
    double inode_rows = 0;

    /// Slots of 16 rows, a tile row: each takes the leftmost nonzero left, and of every other row its next one if that
    /// is fewer than 16 columns away.
    double strip_slots = 0;      ///< of a tile row, in the mean
    double strip_fill = 0;       ///< nonzeros of a slot over 16
    double repeated_strips = 0;  ///< share of the tile rows whose pattern, relative to their first row, came before

    /// The largest width that at least a third of the rows fill (HYB), and the share of the nonzeros beyond it; of at
    /// most 512 rows.
    offset_t hyb_width = 0;
    double hyb_rest = 0;
    /// Diagonals with nonzeros, of one row of each tile row of the sample, and at least those of the longest row; of
    /// all nonzeros, where by the sample DIA has at most `kMostDiaPlaces` places a nonzero. Where it has 64, further
    /// ones do not count.
    offset_t diagonals = 0;

    [[nodiscard]] NumberSizes sizes() const { return {value_bytes, sum_bytes}; }
    friend bool operator==(const MatrixFeatures&, const MatrixFeatures&) = default;
};

}  // namespace tilespmv
