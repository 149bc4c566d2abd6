#pragma once

#include "kernels/cuda/warp.cuh"
#include "kernels/operators/csr_inode/inodes.hpp"

namespace tilespmv::cuda {

inline constexpr int kInodeFillThreads = 256;

template <class P>
struct RowsToCompare {
    index_t rows = 0;
    const P* row_ptrs = nullptr;
    const index_t* col_idxs = nullptr;
    std::uint8_t* alike = nullptr;  ///< as `rows_alike`
};

/// A warp for each row.
template <class P>
__global__ void __launch_bounds__(kInodeFillThreads) compare_rows(RowsToCompare<P> p) {
    const offset_t row = (offset_t{blockIdx.x} * kInodeFillThreads + threadIdx.x) / kWarpSize;
    if (row >= p.rows) return;
    const offset_t begin = p.row_ptrs[row];
    const offset_t length = static_cast<offset_t>(p.row_ptrs[row + 1]) - begin;
    const offset_t before = row > 0 ? p.row_ptrs[row - 1] : 0;
    bool is_alike = row > 0 && begin - before == length;
    for (offset_t first = 0; is_alike && first < length; first += kWarpSize) {
        const offset_t k = first + threadIdx.x % kWarpSize;
        is_alike = __all_sync(kAllLanes, k >= length || p.col_idxs[before + k] == p.col_idxs[begin + k]) != 0;
    }
    if (threadIdx.x % kWarpSize == 0) p.alike[row] = is_alike ? 1 : 0;
}

struct InodeColumns {
    const Inode* inodes = nullptr;
    std::int64_t count = 0;
    const index_t* csr_cols = nullptr;
    index_t* col_idxs = nullptr;  ///< of one inode after the other
};

/// A warp for each inode: the columns of its first row.
__global__ void __launch_bounds__(kInodeFillThreads) copy_inode_columns(InodeColumns p) {
    const std::int64_t i = (std::int64_t{blockIdx.x} * kInodeFillThreads + threadIdx.x) / kWarpSize;
    if (i >= p.count) return;
    const Inode inode = p.inodes[i];
    const std::uint32_t length = p.inodes[i + 1].first_col - inode.first_col;
    for (std::uint32_t k = threadIdx.x % kWarpSize; k < length; k += kWarpSize)
        p.col_idxs[std::size_t{inode.first_col} + k] = p.csr_cols[inode.first_value + k];
}

}  // namespace tilespmv::cuda
