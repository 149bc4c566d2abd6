#pragma once

#include "kernels/cuda/device_operator.hpp"

/// Products of a CSR matrix as it is, with nothing but an upload (and, for csr-merge, one row number per block) before
/// the first of them.
namespace tilespmv::baseline {

/// One thread a row. No options.
template <class V>
std::unique_ptr<cuda::DeviceOperator<V>> make_csr_scalar(const cuda::DeviceSource<V>& source, Options& options,
                                                         Accumulator accumulator, cudaStream_t stream);

/// Several threads a row, which read it side by side and add their sums by shuffles (Bell and Garland, "Implementing
/// sparse matrix-vector multiplication on throughput-oriented processors", SC 2009). Option: threads (2, 4, 8, 16 or
/// 32 a row; default `threads_per_row`).
template <class V>
std::unique_ptr<cuda::DeviceOperator<V>> make_csr_vector(const cuda::DeviceSource<V>& source, Options& options,
                                                         Accumulator accumulator, cudaStream_t stream);

}  // namespace tilespmv::baseline
