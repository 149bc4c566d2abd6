#pragma once

#include <cstdint>

#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/transform_iterator.h>
#include <cub/device/device_scan.cuh>

#include "kernels/cuda/greedy_cut.hpp"
#include "kernels/cuda/launch.cuh"
#include "kernels/cuda/sort_pairs.cuh"
#include "kernels/cuda/split_row.hpp"
#include "kernels/cuda/tuning.hpp"

/// Rows cut into row blocks on the GPU, as csr-adaptive and csr16 have them.
namespace tilespmv::cuda {

/// How rows are cut, by row pointers in device memory.
struct RowBlockCut {
    const offset_t* row_ptrs = nullptr;
    index_t rows = 0;
    int block_nonzeros = 0;
    int piece_nonzeros = 0;
    int whole_row = 0;
    int max_rows = 0;  ///< at most `kMostCutRows`

    [[nodiscard]] __device__ offset_t length(index_t row) const { return row_ptrs[row + 1] - row_ptrs[row]; }
    [[nodiscard]] __device__ bool is_long(index_t row) const { return length(row) > block_nonzeros; }
    /// Of a long row.
    [[nodiscard]] __device__ offset_t pieces(offset_t length) const {
        return length <= whole_row ? 1 : (length + piece_nonzeros - 1) / piece_nonzeros;
    }
    /// Where a row block that begins with this row ends: a long row, or as many rows as fit.
    [[nodiscard]] __device__ index_t end(index_t row) const {
        const offset_t most = row_ptrs[row] + block_nonzeros;
        index_t fits = row + 1;  // that many rows do, or one that is long
        index_t behind = rows - row < max_rows ? rows : row + max_rows;
        while (fits < behind) {
            const index_t middle = fits + (behind - fits + 1) / 2;
            if (row_ptrs[middle] <= most)
                fits = middle;
            else
                behind = middle - 1;
        }
        return fits;
    }
};

struct RowEndsToFind {
    RowBlockCut cut;
    index_t* ends = nullptr;
};
/// A template, so that several sources may have it.
template <class Block>
__global__ void __launch_bounds__(kElementwiseThreads) find_row_ends(RowEndsToFind p) {
    const offset_t row = offset_t{blockIdx.x} * kElementwiseThreads + threadIdx.x;
    if (row < p.cut.rows) p.ends[row] = p.cut.end(static_cast<index_t>(row));
}

/// What lies before the i-th of the places where row blocks begin.
struct RowBlocksBefore {
    std::uint32_t blocks = 0;
    std::uint32_t partials = 0;
    std::uint32_t splits = 0;
    std::uint32_t extra = 0;  ///< row blocks beside the first one of a row
    offset_t in_long_rows = 0;

    friend TILESPMV_HD RowBlocksBefore operator+(const RowBlocksBefore& a, const RowBlocksBefore& b) {
        return {a.blocks + b.blocks, a.partials + b.partials, a.splits + b.splits, a.extra + b.extra,
                a.in_long_rows + b.in_long_rows};
    }
};
struct AddRowBlocks {
    __device__ RowBlocksBefore operator()(const RowBlocksBefore& a, const RowBlocksBefore& b) const { return a + b; }
};
/// Those of one place; of the one behind the last none.
struct RowBlocksAt {
    RowBlockCut cut;
    const index_t* starts = nullptr;
    std::int64_t count = 0;
    __device__ RowBlocksBefore operator()(std::int64_t i) const {
        if (i == count) return {};
        const offset_t length = cut.length(starts[i]);
        if (length <= cut.block_nonzeros) return {1, 0, 0, 0, 0};
        const auto pieces = static_cast<std::uint32_t>(cut.pieces(length));
        return {pieces, pieces > 1 ? pieces : 0, pieces > 1 ? 1U : 0U, pieces - 1, length};
    }
};

/// A row block, or a piece of a row, as it is made into a `Block` by `Block make(const RowBlock&)` of a `Maker`.
struct RowBlock {
    index_t first_row = 0;
    index_t rows = 0;
    offset_t first_nonzero = 0;
    offset_t nonzeros = 0;
    std::uint32_t extra = 0;  ///< row blocks before that are not the first one of a row
    std::int32_t partial = -1;
    std::int32_t split = -1;
    bool is_piece = false;  ///< of a long row, or all of it
};

template <class Block, class Maker>
struct RowBlocksToWrite {
    RowBlockCut cut;
    Maker maker;
    const index_t* starts = nullptr;
    std::int64_t count = 0;
    const RowBlocksBefore* before = nullptr;
    Block* blocks = nullptr;
    SplitRow* splits = nullptr;
};

template <class Block, class Maker>
__global__ void __launch_bounds__(kElementwiseThreads) write_row_blocks(RowBlocksToWrite<Block, Maker> p) {
    const std::int64_t i = std::int64_t{blockIdx.x} * kElementwiseThreads + threadIdx.x;
    if (i >= p.count) return;
    const RowBlocksBefore at = p.before[i];
    const index_t row = p.starts[i];
    const index_t end = i + 1 < p.count ? p.starts[i + 1] : p.cut.rows;
    RowBlock block{row, end - row, p.cut.row_ptrs[row], p.cut.row_ptrs[end] - p.cut.row_ptrs[row], at.extra};
    block.is_piece = p.cut.is_long(row);
    const offset_t pieces = block.is_piece ? p.cut.pieces(block.nonzeros) : 1;
    if (pieces == 1) {
        p.blocks[at.blocks] = p.maker.make(block);
        return;
    }
    const offset_t length = block.nonzeros;
    const offset_t first = block.first_nonzero;
    p.splits[at.splits] = {at.partials, static_cast<std::uint32_t>(pieces)};
    block.split = static_cast<std::int32_t>(at.splits);
    for (offset_t k = 0; k < pieces; ++k) {
        block.first_nonzero = first + length * k / pieces;
        block.nonzeros = first + length * (k + 1) / pieces - block.first_nonzero;
        block.partial = static_cast<std::int32_t>(at.partials + k);
        p.blocks[at.blocks + k] = p.maker.make(block);
        ++block.extra;
    }
}

/// The row blocks of a matrix, in device memory.
template <class Block>
struct DeviceRowBlocks {
    DeviceBuffer<Block> blocks;
    DeviceBuffer<SplitRow> splits;
    RowBlocksBefore all;
    std::size_t bytes_to_host = 0;  ///< that were copied: sizes
};

/// Waits for the stream, twice.
template <class Block, class Maker>
DeviceRowBlocks<Block> cut_row_blocks(const RowBlockCut& cut, const Maker& maker, const DeviceContext& on) {
    const auto launch_for = [&](std::int64_t count, auto kernel, const auto& p) {
        launch(kernel, div_up(count, std::int64_t{kElementwiseThreads}), kElementwiseThreads, p, on.stream);
    };
    DeviceBuffer<index_t> starts;
    {
        const DeviceBuffer<index_t> ends(static_cast<std::size_t>(cut.rows), on);
        launch_for(cut.rows, find_row_ends<Block>, RowEndsToFind{cut, ends.data()});
        starts = greedy_starts(ends, on);
    }
    const auto count = static_cast<std::int64_t>(starts.size());
    const DeviceBuffer<RowBlocksBefore> before(starts.size() + 1, on);
    const auto each = thrust::make_transform_iterator(thrust::counting_iterator<std::int64_t>(0),
                                                      RowBlocksAt{cut, starts.data(), count});
    with_cub_workspace(
        [&](void* workspace, std::size_t& bytes) {
            return cub::DeviceScan::ExclusiveScan(workspace, bytes, each, before.data(), AddRowBlocks{},
                                                  RowBlocksBefore{}, count + 1, on.stream);
        },
        on);
    DeviceRowBlocks<Block> made;
    made.bytes_to_host = sizeof made.all + sizeof count;
    TILESPMV_CUDA(
        cudaMemcpyAsync(&made.all, before.data() + count, sizeof made.all, cudaMemcpyDeviceToHost, on.stream));
    TILESPMV_CUDA(cudaStreamSynchronize(on.stream));
    made.blocks = DeviceBuffer<Block>(made.all.blocks, on);
    made.splits = DeviceBuffer<SplitRow>(made.all.splits, on);
    launch_for(count, write_row_blocks<Block, Maker>,
               RowBlocksToWrite<Block, Maker>{cut, maker, starts.data(), count, before.data(), made.blocks.data(),
                                              made.splits.data()});
    return made;
}

}  // namespace tilespmv::cuda
