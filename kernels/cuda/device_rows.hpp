#pragma once

#include <array>
#include <cstdint>

#include "kernels/source.hpp"
#include "selector/csr_shapes.hpp"

/// Row pointers in device memory: what is found out of them there.
namespace tilespmv::cuda {

/// What `row_statistics` tells, found on the GPU, which also checks the row pointers; waits for the stream. Throws
/// what `validate_row_ptrs` throws of the same row pointers on the host.
template <class V>
RowStatistics row_statistics_there(const DeviceCsrView<V>& a, CUstream_st* stream);

/// Inodes of at most so many rows, and the columns of all of them together.
struct InodesThere {
    InodeLengths lengths;
    offset_t columns = 0;
};

/// For each of kInodeRows, what `inode_lengths` tells, found on the GPU of row pointers that are right. `first_alike`:
/// for each row the first of those that have the same columns one after the other up to it. Waits for the stream.
std::array<InodesThere, kInodeRows.size()> count_inodes(const offset_t* row_ptrs, const index_t* first_alike,
                                                        index_t rows, offset_t nnz, CUstream_st* stream);

/// Row pointers, below 2^32 for 32 bits.
void copy_row_ptrs(const DevicePattern& a, offset_t* to, CUstream_st* stream);
void copy_row_ptrs(const DevicePattern& a, std::uint32_t* to, CUstream_st* stream);

}  // namespace tilespmv::cuda
