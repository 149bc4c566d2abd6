#pragma once

#include "kernels/cuda/device_operator.hpp"

/// Products of a CSR matrix as it is, with nothing but an upload (and, for csr-merge, the beginnings of the blocks)
/// before the first of them.
namespace tilespmv::cuda {

/// One thread a row. No options.
template <class V>
std::unique_ptr<DeviceOperator<V>> make_csr_scalar(const DeviceSource<V>& source, Options& options,
                                                   Accumulator accumulator, cudaStream_t stream);

/// Several threads a row, which read it side by side and add their sums by shuffles (Bell and Garland, "Implementing
/// sparse matrix-vector multiplication on throughput-oriented processors", SC 2009). Option: threads (2, 4, 8, 16 or
/// 32 a row; default `threads_per_row`).
template <class V>
std::unique_ptr<DeviceOperator<V>> make_csr_vector(const DeviceSource<V>& source, Options& options,
                                                   Accumulator accumulator, cudaStream_t stream);

/// A block owns consecutive rows and computes their products round by round, coalesced, in shared memory of a fixed
/// size, where groups of threads add up the rows. Options: rows (a block's), threads (a block's), products (a thread's
/// per round), group (threads that add up a row); default `multiround_shape`.
template <class V>
std::unique_ptr<DeviceOperator<V>> make_csr_multiround(const DeviceSource<V>& source, Options& options,
                                                       Accumulator accumulator, cudaStream_t stream);

/// Equally many rows and nonzeros together for every block, by merge path (Merrill and Garland, SC 2016), up to the
/// beginning of a row that lies near. The products of a block go through shared memory; the sums of rows that are cut
/// are added up by the block that ends the row, in a fixed order. Where the blocks begin is found on the GPU when the
/// operator is made. Option: items (4, 8 or 12: the nonzeros a thread has room for; default 8).
template <class V>
std::unique_ptr<DeviceOperator<V>> make_csr_merge(const DeviceSource<V>& source, Options& options,
                                                  Accumulator accumulator, cudaStream_t stream);

}  // namespace tilespmv::cuda
