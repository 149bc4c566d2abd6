#pragma once

#include <limits>

#include "kernels/cuda/load.cuh"
#include "kernels/cuda/warp.cuh"
#include "kernels/operators/csr16/csr16.hpp"

namespace tilespmv::cuda {

inline constexpr int kCsr16FillThreads = 256;

/// What a row block needs of the columns of a CSR matrix on the GPU.
struct Csr16Fill {
    const Csr16Block* blocks = nullptr;
    std::int64_t block_count = 0;
    const offset_t* sources = nullptr;  ///< as in `Csr16`
    const index_t* col_idxs = nullptr;
    ColumnSpan* spans = nullptr;     ///< of the columns of each row block, to be found
    std::uint16_t* codes = nullptr;  ///< to be written

    [[nodiscard]] __device__ std::int64_t block() const {
        return (std::int64_t{blockIdx.x} * kCsr16FillThreads + threadIdx.x) / kWarpSize;
    }
};

/// A warp for each row block.
__global__ void __launch_bounds__(kCsr16FillThreads) find_column_spans(Csr16Fill p) {
    const std::int64_t i = p.block();
    if (i >= p.block_count) return;
    const index_t* const cols = p.col_idxs + p.sources[i];
    const int nonzeros = p.blocks[i].nonzeros;
    ColumnSpan span;
    for (int k = static_cast<int>(threadIdx.x % kWarpSize); k < nonzeros; k += kWarpSize) {
        span.lowest = min(span.lowest, cols[k]);
        span.highest = max(span.highest, cols[k]);
    }
#pragma unroll
    for (int apart = kWarpSize / 2; apart > 0; apart /= 2) {
        span.lowest = min(span.lowest, __shfl_xor_sync(kAllLanes, span.lowest, apart));
        span.highest = max(span.highest, __shfl_xor_sync(kAllLanes, span.highest, apart));
    }
    if (threadIdx.x % kWarpSize == 0) p.spans[i] = span;
}

/// The same. Wide codes are columns; narrow ones of an odd number have a zero behind them.
__global__ void __launch_bounds__(kCsr16FillThreads) write_codes(Csr16Fill p) {
    const std::int64_t i = p.block();
    if (i >= p.block_count) return;
    const Csr16Block block = p.blocks[i];
    const index_t* const cols = p.col_idxs + p.sources[i];
    const int nonzeros = block.nonzeros;
    const auto lane = static_cast<int>(threadIdx.x % kWarpSize);
    std::uint16_t* const codes = p.codes + block.first_code;
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

}  // namespace tilespmv::cuda
