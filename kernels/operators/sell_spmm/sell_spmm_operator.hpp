#pragma once

#include "kernels/cuda/device_operator.hpp"
#include "kernels/operators/sell_spmm/piece_slices.hpp"

namespace tilespmv::cuda {

/// Most columns of one pass of `sell-spmm` over the matrix.
inline constexpr int kMostPassColumns = 32;

/// Sliced ELL for products of several columns (`PieceSlices`), made from CSR alone. Blocks in row-major layout are
/// multiplied where they lie; of column-major ones X is copied to rows in the workspace first, unless rows side by side
/// read it side by side. Options: columns (most columns of one pass over the matrix, 1 to 32; the workspace has room
/// for a copy of so many columns of X), steps (most nonzeros of a piece of a row, 1 to 1024; otherwise by the number of
/// nonzeros), rows (most rows that are multiplied together where they have nonzeros in the same columns, 1, 2, 3 or 5;
/// otherwise by `group_rows`).
template <class V>
std::unique_ptr<Operator<V>> make_sell_spmm_operator(const Source<V>& source, Options& options,
                                                     const MakeContext& context);

/// Whether `sell-spmm` multiplies rows of the matrix together unless told otherwise.
template <class V>
bool multiplies_rows_together(const CsrMatrix<V>& a, int columns) {
    return group_rows({a.row_ptrs.data(), a.row_ptrs.size()}, {a.col_idxs.data(), a.col_idxs.size()}, sizeof(V),
                      columns, 0)
               .most_rows > 1;
}

template <class V>
inline constexpr auto kSellSpmm = on_device<V>(
    {.name = "sell-spmm",
     .summary = "sliced ELL for products of several columns; columns=N: most of one pass, steps=N: most nonzeros of a "
                "piece of a row, rows=1|2|3|5: most with the same columns that are multiplied together",
     .sweeps = "columns=8|32,rows=1|2|3|5",
     .only_if_named = true},
    make_sell_spmm_operator<V>);

}  // namespace tilespmv::cuda
