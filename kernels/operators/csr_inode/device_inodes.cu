#include "kernels/operators/csr_inode/device_inodes.hpp"

#include <algorithm>

#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/transform_iterator.h>
#include <cub/device/device_scan.cuh>
#include <cub/device/device_select.cuh>

#include "kernels/cuda/launch.cuh"
#include "kernels/cuda/sort_pairs.cuh"
#include "kernels/cuda/warp.cuh"

namespace tilespmv::cuda {
namespace {

constexpr int kThreads = 256;

/// Neighbouring lanes that take a row, or an inode: a warp where these are long.
struct LanesOfRow {
    int log2 = 0;

    static LanesOfRow of(offset_t nonzeros, offset_t rows) { return {nonzeros > rows * kWarpSize ? 5 : 3}; }
    /// The row of this thread.
    [[nodiscard]] __device__ std::int64_t row() const {
        return (std::int64_t{blockIdx.x} * kThreads + threadIdx.x) >> log2;
    }
    [[nodiscard]] __device__ int count() const { return 1 << log2; }
    [[nodiscard]] __device__ int lane() const { return static_cast<int>(threadIdx.x) & (count() - 1); }
    /// Those of the row of this thread.
    [[nodiscard]] __device__ unsigned together() const {
        return (kAllLanes >> (kWarpSize - count())) << (static_cast<int>(threadIdx.x % kWarpSize) - lane());
    }
    [[nodiscard]] std::int64_t blocks(std::int64_t rows) const { return div_up(rows << log2, std::int64_t{kThreads}); }
};

struct RowsToCompare {
    LanesOfRow lanes;
    index_t rows = 0;
    const offset_t* row_ptrs = nullptr;
    const index_t* col_idxs = nullptr;
    index_t* starts = nullptr;  ///< of each row: 0 if its columns are those of the row before, else the row itself
};

__global__ void __launch_bounds__(kThreads) compare_rows(RowsToCompare p) {
    const offset_t row = p.lanes.row();
    if (row >= p.rows) return;
    const offset_t begin = p.row_ptrs[row];
    const offset_t length = p.row_ptrs[row + 1] - begin;
    const offset_t before = row > 0 ? p.row_ptrs[row - 1] : 0;
    bool is_alike = row > 0 && begin - before == length;
    for (offset_t first = 0; is_alike && first < length; first += p.lanes.count()) {
        const offset_t k = first + p.lanes.lane();
        const bool is_same = k >= length || p.col_idxs[before + k] == p.col_idxs[begin + k];
        is_alike = __all_sync(p.lanes.together(), is_same) != 0;
    }
    if (p.lanes.lane() == 0) p.starts[row] = is_alike ? 0 : static_cast<index_t>(row);
}

struct Latest {
    __device__ index_t operator()(index_t a, index_t b) const { return a < b ? b : a; }
};

struct BeginsInode {
    const index_t* first_alike = nullptr;
    int most_rows = 1;
    __device__ bool operator()(index_t row) const { return (row - first_alike[row]) % most_rows == 0; }
};

/// Columns of the i-th inode; of the one behind the last none.
struct ColumnsOfInode {
    const index_t* rows = nullptr;
    std::int64_t count = 0;
    const offset_t* row_ptrs = nullptr;
    __device__ offset_t operator()(std::int64_t i) const {
        return i < count ? row_ptrs[rows[i] + 1] - row_ptrs[rows[i]] : 0;
    }
};
struct AddColumns {
    __device__ offset_t operator()(offset_t a, offset_t b) const { return a + b; }
};

struct InodesToWrite {
    LanesOfRow lanes;
    const index_t* rows = nullptr;  ///< the first ones
    const offset_t* first_cols = nullptr;
    std::int64_t count = 0;
    index_t row_count = 0;
    const offset_t* row_ptrs = nullptr;
    const index_t* csr_cols = nullptr;
    Inode* inodes = nullptr;
    index_t* col_idxs = nullptr;
};

/// Inodes, with the columns of their first rows, and where the last one ends.
__global__ void __launch_bounds__(kThreads) write_inodes(InodesToWrite p) {
    const std::int64_t i = p.lanes.row();
    if (i > p.count) return;
    const index_t row = i < p.count ? p.rows[i] : p.row_count;
    const offset_t first = p.row_ptrs[row];
    const offset_t first_col = p.first_cols[i];
    if (p.lanes.lane() == 0) p.inodes[i] = {first, row, static_cast<std::uint32_t>(first_col)};
    if (i == p.count) return;
    const offset_t length = p.row_ptrs[row + 1] - first;
#pragma unroll 4
    for (offset_t k = p.lanes.lane(); k < length; k += p.lanes.count())
        p.col_idxs[first_col + k] = __ldg(p.csr_cols + first + k);
}

struct InodesToExpand {
    const Inode* inodes = nullptr;
    std::int64_t count = 0;
    const index_t* inode_cols = nullptr;
    offset_t* row_ptrs = nullptr;
    index_t* col_idxs = nullptr;
};

/// A warp for each inode, and one for the end.
__global__ void __launch_bounds__(kThreads) expand(InodesToExpand p) {
    const std::int64_t i = (std::int64_t{blockIdx.x} * kThreads + threadIdx.x) / kWarpSize;
    if (i > p.count) return;
    const Inode inode = p.inodes[i];
    const auto lane = static_cast<int>(threadIdx.x % kWarpSize);
    if (i == p.count) {
        if (lane == 0) p.row_ptrs[inode.first_row] = inode.first_value;
        return;
    }
    const Inode next = p.inodes[i + 1];
    const offset_t length = next.first_col - inode.first_col;
    for (int r = 0; r < next.first_row - inode.first_row; ++r) {
        const offset_t first = inode.first_value + r * length;
        if (lane == 0) p.row_ptrs[inode.first_row + r] = first;
        for (offset_t k = lane; k < length; k += kWarpSize) p.col_idxs[first + k] = p.inode_cols[inode.first_col + k];
    }
}

}  // namespace

void expand_inodes(const Inode* inodes, std::int64_t count, const index_t* inode_cols, offset_t* row_ptrs,
                   index_t* col_idxs, cudaStream_t stream) {
    launch(expand, div_up((count + 1) * kWarpSize, std::int64_t{kThreads}), kThreads,
           InodesToExpand{inodes, count, inode_cols, row_ptrs, col_idxs}, stream);
}

InodeFinder::InodeFinder(const DeviceBuffer<offset_t>& row_ptrs, const index_t* col_idxs, offset_t nnz,
                         const DeviceContext& on)
    : row_ptrs_(row_ptrs.data()),
      col_idxs_(col_idxs),
      rows_(static_cast<index_t>(row_ptrs.size()) - 1),
      on_(on),
      first_alike_(static_cast<std::size_t>(rows_), on) {
    if (rows_ > 0) {
        index_t* const starts = first_alike_.data();
        const RowsToCompare p{LanesOfRow::of(nnz, rows_), rows_, row_ptrs_, col_idxs_, starts};
        launch(compare_rows, p.lanes.blocks(rows_), kThreads, p, on.stream);
        with_cub_workspace(
            [&](void* workspace, std::size_t& bytes) {
                return cub::DeviceScan::InclusiveScan(workspace, bytes, starts, starts, Latest{}, rows_, on.stream);
            },
            on);
    }
    counts_ = count_inodes(row_ptrs_, first_alike_.data(), rows_, nnz, on.stream);
}

DeviceInodes InodeFinder::make(int most_rows) const {
    const auto which = std::ranges::find(kInodeRows, most_rows) - kInodeRows.begin();
    const InodesThere& counted = counts_[static_cast<std::size_t>(which)];
    require_inode_columns(counted.columns);
    const std::int64_t count = counted.lengths.inodes;
    const auto size = static_cast<std::size_t>(count) + 1;
    DeviceInodes made{DeviceBuffer<Inode>(size, on_),
                      DeviceBuffer<index_t>(static_cast<std::size_t>(counted.columns), on_)};
    const DeviceBuffer<index_t> rows(size, on_);
    const DeviceBuffer<offset_t> first_cols(size, on_);
    if (rows_ > 0) {
        const DeviceBuffer<std::int64_t> found(1, on_);
        with_cub_workspace(
            [&](void* workspace, std::size_t& bytes) {
                return cub::DeviceSelect::If(workspace, bytes, thrust::counting_iterator<index_t>(0), rows.data(),
                                             found.data(), rows_, BeginsInode{first_alike_.data(), most_rows},
                                             on_.stream);
            },
            on_);
    }
    const auto columns = thrust::make_transform_iterator(thrust::counting_iterator<std::int64_t>(0),
                                                         ColumnsOfInode{rows.data(), count, row_ptrs_});
    with_cub_workspace(
        [&](void* workspace, std::size_t& bytes) {
            return cub::DeviceScan::ExclusiveScan(workspace, bytes, columns, first_cols.data(), AddColumns{},
                                                  offset_t{0}, count + 1, on_.stream);
        },
        on_);
    const InodesToWrite p{LanesOfRow::of(counted.columns, count),
                          rows.data(),
                          first_cols.data(),
                          count,
                          rows_,
                          row_ptrs_,
                          col_idxs_,
                          made.inodes.data(),
                          made.col_idxs.data()};
    launch(write_inodes, p.lanes.blocks(count + 1), kThreads, p, on_.stream);
    return made;
}

}  // namespace tilespmv::cuda
