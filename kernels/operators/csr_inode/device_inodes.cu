#include "kernels/operators/csr_inode/device_inodes.hpp"

#include <algorithm>

#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/tabulate_output_iterator.h>
#include <thrust/iterator/transform_iterator.h>
#include <cub/device/device_scan.cuh>

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

/// Inodes and their columns.
struct InodeSums {
    std::int64_t inodes = 0;
    offset_t columns = 0;
};
struct AddInodes {
    __device__ InodeSums operator()(const InodeSums& a, const InodeSums& b) const {
        return {a.inodes + b.inodes, a.columns + b.columns};
    }
};

struct RowsToDivide {
    const index_t* first_alike = nullptr;
    int most_rows = 1;
    index_t rows = 0;
    const offset_t* row_ptrs = nullptr;
    [[nodiscard]] __device__ bool begins_inode(index_t row) const {
        return row < rows && (row - first_alike[row]) % most_rows == 0;
    }
};

/// The inode that begins with a row, if one does.
struct InodeOfRow {
    RowsToDivide a;
    __device__ InodeSums operator()(index_t row) const {
        if (!a.begins_inode(row)) return {};
        return {1, a.row_ptrs[row + 1] - a.row_ptrs[row]};
    }
};

/// Writes it, given the sums of those before, and behind the last one where it ends.
struct WriteInode {
    RowsToDivide a;
    Inode* inodes = nullptr;
    __device__ void operator()(std::int64_t i, const InodeSums& before) const {
        const auto row = static_cast<index_t>(i);
        if (row < a.rows && !a.begins_inode(row)) return;
        inodes[before.inodes] = {a.row_ptrs[row], row, static_cast<std::uint32_t>(before.columns)};
    }
};

struct ColumnsToCopy {
    LanesOfRow lanes;
    const Inode* inodes = nullptr;
    std::int64_t count = 0;
    const index_t* csr_cols = nullptr;
    index_t* col_idxs = nullptr;
};

/// The columns of the first rows of inodes.
__global__ void __launch_bounds__(kThreads) copy_inode_columns(ColumnsToCopy p) {
    const std::int64_t i = p.lanes.row();
    if (i >= p.count) return;
    const Inode inode = p.inodes[i];
    const offset_t length = p.inodes[i + 1].first_col - inode.first_col;
#pragma unroll 4
    for (offset_t k = p.lanes.lane(); k < length; k += p.lanes.count())
        p.col_idxs[inode.first_col + k] = __ldg(p.csr_cols + inode.first_value + k);
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
    const RowsToDivide divided{first_alike_.data(), most_rows, rows_, row_ptrs_};
    const auto inodes = thrust::make_transform_iterator(thrust::counting_iterator<index_t>(0), InodeOfRow{divided});
    const auto written = thrust::make_tabulate_output_iterator(WriteInode{divided, made.inodes.data()});
    with_cub_workspace(
        [&](void* workspace, std::size_t& bytes) {
            return cub::DeviceScan::ExclusiveScan(workspace, bytes, inodes, written, AddInodes{}, InodeSums{},
                                                  std::int64_t{rows_} + 1, on_.stream);
        },
        on_);
    const ColumnsToCopy p{LanesOfRow::of(counted.columns, count), made.inodes.data(), count, col_idxs_,
                          made.col_idxs.data()};
    launch(copy_inode_columns, p.lanes.blocks(count), kThreads, p, on_.stream);
    return made;
}

}  // namespace tilespmv::cuda
