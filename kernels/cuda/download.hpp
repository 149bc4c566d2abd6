#pragma once

#include "kernels/source.hpp"
#include "tile/csr.hpp"

struct CUstream_st;  // CUDA's: cudaStream_t points to one

/// Free of CUDA's types: a build without CUDA has these from `no_cuda.cpp`.
namespace tilespmv::cuda {

/// Throws `Error` if a size is negative or an array is not in the memory of the current GPU.
template <class V>
void require_in_device_memory(const DeviceCsrView<V>& view);

/// The row pointers of a matrix in device memory. Throws `Error` if they or an array are not in the memory of the
/// current GPU, and as `validate_row_ptrs` does; `unavailable` without a GPU.
template <class V>
Buffer<offset_t> download_row_ptrs(const DeviceCsrView<V>& view, CUstream_st* stream);

/// A copy in host memory of `size` elements.
template <class T>
Buffer<T> download(const T* device, offset_t size, CUstream_st* stream);

}  // namespace tilespmv::cuda
