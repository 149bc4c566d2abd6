#pragma once

#include <cstddef>
#include <span>

#include "selector/auto/number_sizes.hpp"
#include "selector/auto/pattern_reader.hpp"
#include "selector/csr_shapes.hpp"
#include "tile/csr.hpp"

/// What the choice of an operator (`auto`) knows of a matrix.
namespace tilespmv {

/// Places of DIA a nonzero from which on nothing is gained by it: 4 bytes of a column are half a value of float64.
inline constexpr double kMostDiaPlaces = 1.5;
/// Diagonals that are told apart: this number stands for as many or more.
inline constexpr offset_t kMostDiagonals = 1024;

/// The pattern of a CSR matrix on the host, of any type of values.
struct PatternView {
    index_t rows = 0;
    index_t cols = 0;
    std::span<const offset_t> row_ptrs;  ///< rows + 1
    std::span<const index_t> col_idxs;
    std::size_t value_bytes = 8;  ///< of a nonzero and of an element of x and y
    std::size_t sum_bytes = 0;    ///< of what a product accumulates in; 0: what it does if nobody asks for another

    [[nodiscard]] offset_t nnz() const { return static_cast<offset_t>(col_idxs.size()); }
    [[nodiscard]] NumberSizes sizes() const {
        return {value_bytes, sum_bytes > 0 ? sum_bytes : default_sum_bytes(value_bytes)};
    }
};

template <Value V>
PatternView pattern_of(const CsrMatrix<V>& a) {
    return {.rows = a.rows, .cols = a.cols, .row_ptrs = a.row_ptrs, .col_idxs = a.col_idxs, .value_bytes = sizeof(V)};
}

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

/// The features of a matrix of which the sizes are known, and of one on the host. Found from the statistics of all
/// rows, from row pointers in places that the sizes tell, and the columns of a sample: one in 32 of them for blocks, at
/// least 8,192 and at most 49,152, and tile rows with about a quarter as many nonzeros; of 64 tile rows, if rows have
/// the lengths of full tiles, up to 16 tiles; all columns where those of the sample lie on few diagonals. They are read
/// at twice, so that little is waited for. The result does not depend on where the matrix is or on the number of
/// threads. The arrays must be those of a valid CSR matrix.
MatrixFeatures features_of(const MatrixFeatures& sizes, PatternReader& reader);
MatrixFeatures features_of(const PatternView& a);

/// Steps of a slice of sell on an H200.
int sell_steps_of(const MatrixFeatures& f);

}  // namespace tilespmv
