#include "kernels/operators/csr16/device_csr16.hpp"

#include <utility>

#include <cub/device/device_scan.cuh>

#include "kernels/cuda/device_row_blocks.cuh"
#include "kernels/cuda/launch.cuh"
#include "kernels/operators/csr16/csr16_fill.cuh"

namespace tilespmv::cuda {
namespace {

struct MakeCsr16 {
    int nonzeros_per_thread = 0;

    __device__ Csr16Block make(const RowBlock& from) const {
        Csr16Block block;
        block.first_nonzero = from.first_nonzero;
        block.first_end = static_cast<std::uint32_t>(from.first_row) + from.extra;
        block.first_row = static_cast<std::uint32_t>(from.first_row);
        block.nonzeros = static_cast<std::uint16_t>(from.nonzeros);
        block.rows = static_cast<std::uint16_t>(from.rows);
        block.partial = from.partial;
        block.split = from.split;
        block.threads_log2 =
            static_cast<std::uint8_t>(csr16_threads_log2(from.rows, from.nonzeros, nonzeros_per_thread));
        block.is_piece = from.is_piece;
        return block;
    }
};

/// Where the codes of each row block are, and behind them where the last ones end.
DeviceBuffer<std::int64_t> place_codes(const DeviceBuffer<std::int64_t>& sizes, const DeviceContext& on) {
    DeviceBuffer<std::int64_t> first(sizes.size(), on);
    with_cub_workspace(
        [&](void* workspace, std::size_t& bytes) {
            return cub::DeviceScan::ExclusiveSum(workspace, bytes, sizes.data(), first.data(),
                                                 static_cast<std::int64_t>(sizes.size()), on.stream);
        },
        on);
    return first;
}

/// Sets what follows from the columns of row blocks. Waits for the stream.
void add_codes(Csr16Arrays& made, Csr16Fill p, const DeviceContext& on) {
    const DeviceBuffer<std::int64_t> sizes(made.blocks.size() + 1, on);
    p.blocks = made.blocks.data();
    p.block_count = static_cast<std::int64_t>(made.blocks.size());
    p.ends = made.ends.data();
    p.code_sizes = sizes.data();
    const std::int64_t grid = div_up((p.block_count + 1) * kWarpSize, std::int64_t{kCsr16FillThreads});
    launch(read_columns, grid, kCsr16FillThreads, p, on.stream);
    const DeviceBuffer<std::int64_t> first_codes = place_codes(sizes, on);
    std::int64_t all = 0;
    TILESPMV_CUDA(
        cudaMemcpyAsync(&all, first_codes.data() + p.block_count, sizeof all, cudaMemcpyDeviceToHost, on.stream));
    TILESPMV_CUDA(cudaStreamSynchronize(on.stream));
    made.codes = DeviceBuffer<std::uint16_t>(static_cast<std::size_t>(all), on);
    p.first_codes = first_codes.data();
    p.codes = made.codes.data();
    launch(write_codes, grid, kCsr16FillThreads, p, on.stream);
    made.bytes_to_host += sizeof all;
}

}  // namespace

void expand_csr16(const Csr16ToCsr& p, cudaStream_t stream) {
    const auto bytes = (static_cast<std::size_t>(p.rows) + 1) * sizeof(offset_t);
    TILESPMV_CUDA(cudaMemsetAsync(p.row_ptrs, 0, bytes, stream));
    launch(read_csr16, div_up(p.block_count * kWarpSize, std::int64_t{kCsr16FillThreads}), kCsr16FillThreads, p,
           stream);
}

Csr16Arrays make_csr16_there(const DeviceBuffer<offset_t>& row_ptrs, const index_t* col_idxs, const Csr16Limits& limits,
                             const DeviceContext& on) {
    const auto rows = static_cast<index_t>(row_ptrs.size()) - 1;
    const RowBlockCut cut{row_ptrs.data(),  rows,           limits.block_nonzeros, limits.piece_nonzeros,
                          limits.whole_row, Csr16::kMaxRows};
    auto row_blocks = cut_row_blocks<Csr16Block>(cut, MakeCsr16{limits.nonzeros_per_thread}, on);
    Csr16Arrays made;
    made.blocks = std::move(row_blocks.blocks);
    made.splits = std::move(row_blocks.splits);
    made.partials = row_blocks.all.partials;
    made.in_long_rows = row_blocks.all.in_long_rows;
    made.ends = DeviceBuffer<std::uint16_t>(static_cast<std::size_t>(rows) + row_blocks.all.extra, on);
    add_codes(made, {.row_ptrs = row_ptrs.data(), .col_idxs = col_idxs}, on);
    made.bytes_to_host += row_blocks.bytes_to_host;
    return made;
}

Csr16Arrays encode_there(const Csr16& cut, const index_t* col_idxs, const DeviceContext& on) {
    const DeviceBuffer<offset_t> sources(std::span<const offset_t>(cut.sources), on);
    Csr16Arrays made(cut, on);
    add_codes(made, {.sources = sources.data(), .col_idxs = col_idxs}, on);
    return made;
}

}  // namespace tilespmv::cuda
