#pragma once

#include <cstdint>

#include "kernels/block.hpp"
#include "kernels/cpu/schedule.hpp"
#include "kernels/cpu/strip_rows.hpp"
#include "kernels/operators/coo/coo.hpp"
#include "kernels/operators/dia/dia.hpp"
#include "kernels/operators/ell/ell.hpp"

namespace tilespmv::cpu {

/// The sum of the nonzeros of a row, or of some of them.
struct CooSum {
    index_t row = 0;
    double sum = 0;
};

/// The vectorised inner loops. `sums` has one number per row of the chunk, to which partial products are added.
template <Value V>
struct SimdKernels {
    std::int64_t target = 0;  ///< Highway's bit of the instruction set
    int lanes = 0;            ///< doubles of a vector
    /// The listed rows `rows`, and of those only the nonzeros at positions `nonzeros`.
    void (*add_csr)(const CsrRows<V>& a, Span rows, Span nonzeros, index_t first_row, const V* x, double* sums);
    static constexpr int kMostPanelColumns = 32;
    static constexpr int kPanelRows = 64;  ///< at most, whose sums stay in the nearest cache
    int panel_columns = 0;                 ///< that the next two take at a time
    /// The sums of each row for a panel of X in row-major layout, row after row from `sums` on, in whole vectors. What
    /// column c is multiplied by is row `c & row_bits` of X.
    void (*sum_csr_columns)(const CsrRows<V>& a, Span rows, Span nonzeros, const Block<const V>& x, index_t row_bits,
                            double* sums);
    /// y = alpha * sums + beta * y for a panel of some rows; past the caches, if it `streams` and beta is 0,
    /// which the caller flushes.
    void (*finish_columns)(const double* sums, double alpha, double beta, const Block<V>& y, bool streams);
    /// A block in column-major layout into one in row-major layout; past the caches, if it `streams`: rows are then
    /// whole vectors.
    void (*copy_to_rows)(const Block<const V>& from, const Block<V>& to, bool streams);
    /// All tiles of the listed tile rows.
    void (*add_tile_rows)(const TileMatrix<V>& a, Span tile_rows, index_t first_row, const V* x, double* sums);
    /// The tiles of a piece, of a tile row with `height` rows.
    void (*add_tiles)(const TileMatrix<V>& a, const Piece& piece, int height, const V* x, double* sums);
    /// y = alpha * A * x + beta * y for the strips of the groups `groups`; y as in `Operator::apply`.
    void (*multiply_strips)(const StripRows<V>& a, Span groups, double alpha, const V* x, double beta, V* y);
    /// Rows `rows` of DIA, the first one a multiple of 8; `sums` for whole groups of 8 rows.
    void (*add_dia)(const Dia<V>& a, RowRange rows, const V* x, double* sums);
    /// Rows `rows` of ELL.
    void (*add_ell)(const Ell<V>& a, RowRange rows, const V* x, double* sums);
    /// Nonzeros of COO: a sum for each row that they are of, one after the other from `sums` on. Returns their number.
    offset_t (*sum_coo)(const Coo<V>& a, Span nonzeros, const V* x, CooSum* sums);
};

/// The kernels for the best instructions that this machine has.
template <Value V>
const SimdKernels<V>& simd_kernels();

}  // namespace tilespmv::cpu
