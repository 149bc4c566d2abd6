#pragma once

#include "kernels/cuda/device_buffer.hpp"
#include "kernels/cuda/device_rows.hpp"
#include "kernels/operators/csr_inode/inodes.hpp"

namespace tilespmv::cuda {

/// `CsrInodes` in device memory.
struct DeviceInodes {
    DeviceBuffer<Inode> inodes;
    DeviceBuffer<index_t> col_idxs;
};

/// Row pointers and columns of CSR, back from inodes of which the last one is an end.
void expand_inodes(const Inode* inodes, std::int64_t count, const index_t* inode_cols, offset_t* row_ptrs,
                   index_t* col_idxs, cudaStream_t stream);

/// Finds inodes on the GPU, as `rows_alike` and `make_inodes` do on the host, from row pointers, which are right, and
/// columns in device memory, which must outlive it.
class InodeFinder {
public:
    /// Waits for the stream, once.
    InodeFinder(const DeviceBuffer<offset_t>& row_ptrs, const index_t* col_idxs, offset_t nnz, const DeviceContext& on);
    /// For each of kInodeRows.
    [[nodiscard]] const std::array<InodesThere, kInodeRows.size()>& counts() const { return counts_; }
    /// Those of at most so many rows, one of kInodeRows. Throws as `require_inode_columns`.
    [[nodiscard]] DeviceInodes make(int most_rows) const;

private:
    const offset_t* row_ptrs_;
    const index_t* col_idxs_;
    index_t rows_;
    DeviceContext on_;
    DeviceBuffer<index_t> first_alike_;
    std::array<InodesThere, kInodeRows.size()> counts_;
};

}  // namespace tilespmv::cuda
