#pragma once

#include "kernels/cuda/device_operator.hpp"

/// The products of cuSPARSE. It accumulates in the type of the values, and 16-bit values in float32; another
/// accumulator is a usage `Error`. Some of its algorithms do not promise the same bits every time: `is_reproducible` of
/// the operator tells. Matrices without nonzeros are not handed to it.
namespace tilespmv::cuda {

/// CSR, preprocessed once. Option: alg (1, the default, or 2, which is reproducible). From 2^31 nonzeros on columns
/// take 64 bits as row pointers do, for cuSPARSE wants them alike.
template <class V>
std::unique_ptr<DeviceOperator<V>> make_cusparse_csr(const DeviceSource<V>& source, Options& options,
                                                     Accumulator accumulator, cudaStream_t stream);

/// COO. Option: alg (1, the default, or 2, which is reproducible).
template <class V>
std::unique_ptr<DeviceOperator<V>> make_cusparse_coo(const DeviceSource<V>& source, Options& options,
                                                     Accumulator accumulator, cudaStream_t stream);

/// Sliced ELL in slices of 32 rows, made on the host; reproducible. No options.
template <class V>
std::unique_ptr<DeviceOperator<V>> make_cusparse_sell(const DeviceSource<V>& source, Options& options,
                                                      Accumulator accumulator, cudaStream_t stream);

/// Block CSR by `cusparse<t>bsrmv`, made on the host. Options: block (2, 4, 8 or 16; default 4), order (row or col, how
/// the values of a block follow each other; default row). Blocks are padded with zeros, which meet x: 0 * Inf is NaN.
/// Where the block does not divide the rows or columns, y or x is copied in every product. Not for 16-bit values.
template <class V>
std::unique_ptr<DeviceOperator<V>> make_cusparse_bsr(const DeviceSource<V>& source, Options& options,
                                                     Accumulator accumulator, cudaStream_t stream);

}  // namespace tilespmv::cuda
