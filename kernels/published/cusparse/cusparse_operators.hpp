#pragma once

#include "kernels/cuda/device_operator.hpp"

/// The products of cuSPARSE. It accumulates in the type of the values, and 16-bit values in float32; another
/// accumulator is a usage `Error`. Some of its algorithms do not promise the same bits every time: `is_reproducible` of
/// the operator tells. Matrices without nonzeros are not handed to it.
namespace tilespmv::cuda {

/// CSR, preprocessed once. Option: alg (1, the default, or 2, which is reproducible). From 2^31 nonzeros on columns
/// take 64 bits as row pointers do, for cuSPARSE wants them alike.
template <class V>
std::unique_ptr<Operator<V>> make_cusparse_csr(const Source<V>& source, Options& options, const MakeContext& context);

/// COO. Option: alg (1, the default, or 2, which is reproducible).
template <class V>
std::unique_ptr<Operator<V>> make_cusparse_coo(const Source<V>& source, Options& options, const MakeContext& context);

/// Sliced ELL in slices of 32 rows, made on the host; reproducible. No options.
template <class V>
std::unique_ptr<Operator<V>> make_cusparse_sell(const Source<V>& source, Options& options, const MakeContext& context);

/// Block CSR by `cusparse<t>bsrmv`, made on the host. Options: block (2, 4, 8 or 16; default 4), order (row or col, how
/// the values of a block follow each other; default row). Blocks are padded with zeros, which meet x: 0 * Inf is NaN.
/// Where the block does not divide the rows or columns, y or x is copied in every product. Not for 16-bit values.
template <class V>
std::unique_ptr<Operator<V>> make_cusparse_bsr(const Source<V>& source, Options& options, const MakeContext& context);

/// Products of several columns by cusparseSpMM on CSR. Option: alg (1, 2 or 3: `CUSPARSE_SPMM_CSR_ALG1` to 3; 2 is for
/// blocks in row-major layout). It prepares for a number of columns and their layouts with the first product of such
/// blocks, which allocates memory. None of the algorithms gives the same bits every time, as measured.
template <class V>
std::unique_ptr<Operator<V>> make_cusparse_spmm(const Source<V>& source, Options& options, const MakeContext& context);

/// The operators of a matrix on CSR, or of its transpose by CUSPARSE_OPERATION_TRANSPOSE on the CSR of the matrix,
/// which is reproducible with none of the algorithms.
template <class V>
std::unique_ptr<Operator<V>> make_cusparse_csr(const Source<V>& source, Options& options, const MakeContext& context,
                                               Op op);
template <class V>
std::unique_ptr<Operator<V>> make_cusparse_spmm(const Source<V>& source, Options& options, const MakeContext& context,
                                                Op op);

template <class V>
inline constexpr auto kCusparseCsr = on_device<V>({.name = "cusparse-csr",
                                                   .summary = "cuSPARSE, CSR; alg=1|2 (2 is reproducible)",
                                                   .sweeps = "alg=1|2",
                                                   .sums_in_own_type = true},
                                                  make_cusparse_csr<V>, NewValues::never);
template <class V>
inline constexpr auto kCusparseCoo = on_device<V>({.name = "cusparse-coo",
                                                   .summary = "cuSPARSE, COO; alg=1|2 (2 is reproducible)",
                                                   .sweeps = "alg=1|2",
                                                   .sums_in_own_type = true},
                                                  make_cusparse_coo<V>, NewValues::never);
template <class V>
inline constexpr auto kCusparseSell =
    on_device<V>({.name = "cusparse-sell", .summary = "cuSPARSE, sliced ELL; slice=32", .sums_in_own_type = true},
                 make_cusparse_sell<V>, NewValues::never);
template <class V>
inline constexpr auto kCusparseBsr =
    on_device<V>({.name = "cusparse-bsr",
                  .summary = "cuSPARSE, block CSR; block=2|4|8|16, order=row|col within a block",
                  .sweeps = "block=2|4|8|16,order=row|col",
                  .sums_in_own_type = true,
                  .takes_16_bit_values = false},
                 make_cusparse_bsr<V>, NewValues::never);
template <class V>
inline constexpr auto kCusparseSpmm = on_device<V>({.name = "cusparse-spmm",
                                                    .summary = "cuSPARSE, CSR, products of several columns; alg=1|2|3",
                                                    .sweeps = "alg=1|2|3",
                                                    .sums_in_own_type = true,
                                                    .only_if_named = true},
                                                   make_cusparse_spmm<V>, NewValues::never);

}  // namespace tilespmv::cuda
