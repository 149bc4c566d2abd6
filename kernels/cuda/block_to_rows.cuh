#pragma once

#include <algorithm>

#include "kernels/cuda/block_product.cuh"
#include "kernels/cuda/dependent_launch.cuh"
#include "kernels/cuda/launch.cuh"

/// Blocks in column-major layout are copied to row-major layout, and Y back, where that makes products faster.
namespace tilespmv::cuda {

inline constexpr int kCopyThreads = 256;
/// Rows of a block that `copy_to_rows` takes at a time.
inline constexpr int kCopiedRows = 64;

template <class V>
struct RowCopy {
    BlockView<const V> from;
    V* to = nullptr;
    int to_columns = 0;  ///< from row to row; those behind the columns that there are get zeros
    std::int64_t rows = 0;
    int columns = 0;
};

/// A block in column-major layout into row-major layout, by way of shared memory.
template <class V>
__global__ void __launch_bounds__(kCopyThreads) copy_to_rows(const __grid_constant__ RowCopy<V> p) {
    __shared__ V shared[kCopiedRows][kMostRowColumns + 1];
    const std::int64_t first = std::int64_t{blockIdx.x} * kCopiedRows;
    const auto rows = static_cast<int>(min(p.rows - first, std::int64_t{kCopiedRows}));
    wait_for_stream();
    for (int i = static_cast<int>(threadIdx.x); i < kCopiedRows * p.to_columns; i += kCopyThreads) {
        const int row = i % kCopiedRows;
        const int col = i / kCopiedRows;
        if (row < rows) shared[row][col] = col < p.columns ? *p.from.at(first + row, col) : V{};
    }
    __syncthreads();
    for (int i = static_cast<int>(threadIdx.x); i < rows * p.to_columns; i += kCopyThreads) {
        p.to[first * p.to_columns + i] = shared[i / p.to_columns][i % p.to_columns];
    }
}

template <class V>
struct ColumnCopy {
    const V* from = nullptr;
    int from_columns = 0;  ///< from row to row
    BlockView<V> to;
    std::int64_t rows = 0;
    int columns = 0;
};

/// The other way.
template <class V>
__global__ void __launch_bounds__(kCopyThreads) copy_to_columns(const __grid_constant__ ColumnCopy<V> p) {
    __shared__ V shared[kCopiedRows][kMostRowColumns + 1];
    const std::int64_t first = std::int64_t{blockIdx.x} * kCopiedRows;
    const auto rows = static_cast<int>(min(p.rows - first, std::int64_t{kCopiedRows}));
    wait_for_stream();
    for (int i = static_cast<int>(threadIdx.x); i < rows * p.from_columns; i += kCopyThreads) {
        const int col = i % p.from_columns;
        if (col < p.columns) shared[i / p.from_columns][col] = p.from[first * p.from_columns + i];
    }
    __syncthreads();
    for (int i = static_cast<int>(threadIdx.x); i < kCopiedRows * p.columns; i += kCopyThreads) {
        const int row = i % kCopiedRows;
        if (row < rows) *p.to.at(first + row, i / kCopiedRows) = shared[row][i / kCopiedRows];
    }
}

/// `columns`, rounded up so that rows begin at multiples of 16 bytes.
template <class V>
std::int64_t wide_columns(int columns) {
    return div_up(std::int64_t{columns}, std::int64_t{kWide<V>}) * kWide<V>;
}

/// Columns that a workspace has room for a copy of: as many as take less than the matrix, or than 16 MiB.
template <class V>
int copied_columns(std::size_t matrix_bytes, index_t cols) {
    const std::size_t column_bytes = std::max<std::size_t>(static_cast<std::size_t>(cols), 1) * sizeof(V);
    const std::size_t fitting = std::max(matrix_bytes, std::size_t{16} << 20) / column_bytes;
    return static_cast<int>(std::clamp<std::size_t>(fitting / 8 * 8, 8, kMostRowColumns));
}

/// A block in row-major layout in `rows`, which has room for `wide_columns` values of each row.
template <class V>
Block<V> block_of_rows(V* rows, std::size_t count, int columns) {
    const std::int64_t wide = wide_columns<std::remove_const_t<V>>(columns);
    return {rows, count, static_cast<int>(wide), static_cast<std::size_t>(wide), Layout::row_major, Memory::device};
}

/// A copy of x in `rows`, as of `block_of_rows`; values behind the columns of x are 0.
template <class V>
Block<const V> copied_to_rows(const Block<const V>& x, V* rows, cudaStream_t stream) {
    const Block<const V> to = block_of_rows<const V>(rows, x.rows, x.cols);
    const RowCopy<V> copy{BlockView<const V>(x), rows, to.cols, static_cast<std::int64_t>(x.rows), x.cols};
    launch_dependent(copy_to_rows<V>, div_up(copy.rows, kCopiedRows), kCopyThreads, copy, stream);
    return to;
}

/// Copies what `block_of_rows` holds for y to y.
template <class V>
void copy_from_rows(const V* rows, const Block<V>& y, cudaStream_t stream) {
    const ColumnCopy<V> copy{rows, static_cast<int>(wide_columns<V>(y.cols)), BlockView<V>(y),
                             static_cast<std::int64_t>(y.rows), y.cols};
    launch_dependent(copy_to_columns<V>, div_up(copy.rows, kCopiedRows), kCopyThreads, copy, stream);
}

}  // namespace tilespmv::cuda
