#pragma once

#include <limits>

#include "kernels/cuda/warp.cuh"
#include "kernels/operators/csr16/device_csr16.hpp"

namespace tilespmv::cuda {

inline constexpr int kCsr16FillThreads = 256;

/// Row blocks of a CSR matrix on the GPU, a warp for each.
struct Csr16Fill {
    Csr16Block* blocks = nullptr;
    std::int64_t block_count = 0;
    const offset_t* row_ptrs = nullptr;  ///< null: the ends of rows are there
    const offset_t* sources = nullptr;   ///< first nonzeros in the matrix; null: those of the row blocks, of all rows
    const index_t* col_idxs = nullptr;
    std::uint16_t* ends = nullptr;
    std::int64_t* code_sizes = nullptr;  ///< of row blocks, in 16 bits, and a zero behind them
    const std::int64_t* first_codes = nullptr;
    std::uint16_t* codes = nullptr;

    [[nodiscard]] __device__ std::int64_t block() const {
        return (std::int64_t{blockIdx.x} * kCsr16FillThreads + threadIdx.x) / kWarpSize;
    }
    [[nodiscard]] __device__ const index_t* columns_of(std::int64_t i, const Csr16Block& block) const {
        return col_idxs + (sources != nullptr ? sources[i] : block.first_nonzero);
    }
};

/// Sets what follows from the columns of a row block, and the ends of its rows. One more warp writes the zero.
__global__ void __launch_bounds__(kCsr16FillThreads) read_columns(Csr16Fill p) {
    const std::int64_t i = p.block();
    const auto lane = static_cast<int>(threadIdx.x % kWarpSize);
    if (i == p.block_count && lane == 0) p.code_sizes[i] = 0;
    if (i >= p.block_count) return;
    Csr16Block block = p.blocks[i];
    const index_t* const cols = p.columns_of(i, block);
    index_t lowest = std::numeric_limits<index_t>::max();
    index_t highest = 0;
    for (int k = lane; k < block.nonzeros; k += kWarpSize) {
        lowest = min(lowest, cols[k]);
        highest = max(highest, cols[k]);
    }
#pragma unroll
    for (int apart = kWarpSize / 2; apart > 0; apart /= 2) {
        lowest = min(lowest, __shfl_xor_sync(kAllLanes, lowest, apart));
        highest = max(highest, __shfl_xor_sync(kAllLanes, highest, apart));
    }
    for (int r = lane; p.row_ptrs != nullptr && r < block.rows; r += kWarpSize) {
        const offset_t end = p.row_ptrs[std::int64_t{block.first_row} + r + 1] - block.first_nonzero;
        p.ends[block.first_end + static_cast<unsigned>(r)] =
            static_cast<std::uint16_t>(end < block.nonzeros ? end : offset_t{block.nonzeros});
    }
    __syncwarp();  // all lanes have read the block
    if (lane != 0) return;
    p.code_sizes[i] = set_columns(block, lowest, highest);
    p.blocks[i] = block;
}

/// Wide codes are columns; narrow ones of an odd number have a zero behind them.
__global__ void __launch_bounds__(kCsr16FillThreads) write_codes(Csr16Fill p) {
    const std::int64_t i = p.block();
    if (i >= p.block_count) return;
    const Csr16Block block = p.blocks[i];
    const std::int64_t first_code = p.first_codes[i];
    const index_t* const cols = p.columns_of(i, block);
    const int nonzeros = block.nonzeros;
    const auto lane = static_cast<int>(threadIdx.x % kWarpSize);
    std::uint16_t* const codes = p.codes + first_code;
    if (lane == 0) p.blocks[i].first_code = first_code;
    if (block.wide) {
        auto* const wide = reinterpret_cast<index_t*>(codes);
        for (int k = lane; k < nonzeros; k += kWarpSize) wide[k] = cols[k];
        return;
    }
    for (int k = lane; k < nonzeros + nonzeros % 2; k += kWarpSize) {
        const auto col = k < nonzeros ? static_cast<std::uint32_t>(cols[k]) : block.base_column;
        codes[k] = static_cast<std::uint16_t>(col - block.base_column);
    }
}

/// The last piece of a row tells where it ends, which is behind the others.
__global__ void __launch_bounds__(kCsr16FillThreads) read_csr16(Csr16ToCsr p) {
    const std::int64_t i = (std::int64_t{blockIdx.x} * kCsr16FillThreads + threadIdx.x) / kWarpSize;
    if (i >= p.block_count) return;
    const Csr16Block block = p.blocks[i];
    const auto lane = static_cast<int>(threadIdx.x % kWarpSize);
    for (int r = lane; r < block.rows; r += kWarpSize) {
        const std::int64_t end = block.first_nonzero + p.ends[block.first_end + static_cast<unsigned>(r)];
        atomicMax(reinterpret_cast<unsigned long long*>(p.row_ptrs + std::int64_t{block.first_row} + r + 1),
                  static_cast<unsigned long long>(end));
    }
    const std::uint16_t* const codes = p.codes + block.first_code;
    const auto* const wide = reinterpret_cast<const index_t*>(codes);
    for (int k = lane; k < block.nonzeros; k += kWarpSize)
        p.col_idxs[block.first_nonzero + k] = block.wide ? wide[k] : static_cast<index_t>(block.base_column + codes[k]);
}

}  // namespace tilespmv::cuda
