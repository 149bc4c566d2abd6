#pragma once

#include "kernels/cuda/device_operator.hpp"

namespace tilespmv::cuda {

/// CSR for products of several columns by matrices with so few rows that a lane a row would leave a GPU waiting: two or
/// four lanes share the nonzeros of a row, and long rows are cut into parts, whose sums the last part to arrive adds in
/// their order. The matrix is multiplied as it is; of blocks in column-major layout X is copied to rows in the
/// workspace first. Options: columns (most columns of one pass over the matrix, 1 to 32; the workspace has room for a
/// copy of so many columns of X), lanes (2 or 4 a row; otherwise 4 from 16 nonzeros a row on, in the mean).
template <class V>
std::unique_ptr<Operator<V>> make_csr_spmm_operator(const Source<V>& source, Options& options,
                                                    const MakeContext& context);

template <class V>
inline constexpr auto kCsrSpmm = on_device<V>(
    {.name = "csr-spmm",
     .summary = "CSR for products of several columns by matrices of few rows; columns=N: most of one pass, lanes=2|4 a "
                "row (by the mean row)",
     .sweeps = "columns=8|32,lanes=2|4",
     .reads_csr_in_place = true,
     .only_if_named = true},
    make_csr_spmm_operator<V>);

}  // namespace tilespmv::cuda
