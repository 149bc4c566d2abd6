#pragma once

#include "kernels/cuda/load.cuh"
#include "kernels/cuda/tuning.hpp"
#include "kernels/operators/tile/dense_runs.hpp"

namespace tilespmv::cuda {

/// Values for the tiles of a matrix of nothing but full ones, from those of its CSR form.
template <class V>
struct FullTileFill {
    const V* csr_values = nullptr;
    const DenseRun* runs = nullptr;
    const offset_t* tile_ptrs = nullptr;  ///< of the tile rows
    V* values = nullptr;
};

/// A block a run, a thread a value. A warp takes two columns of a tile, whose rows the next warps find in L1.
template <class V>
__global__ void __launch_bounds__(kElementwiseThreads) fill_full_tiles(const __grid_constant__ FullTileFill<V> p) {
    constexpr int kTileValues = kTileSize * kTileSize;
    static_assert(kElementwiseThreads % kTileValues == 0);
    const DenseRun run = p.runs[blockIdx.x];
    const offset_t first = p.tile_ptrs[run.tile_row];
    const std::int64_t row_length = (p.tile_ptrs[run.tile_row + 1] - first) * kTileSize;
    const int row = static_cast<int>(threadIdx.x) % kTileSize;
    const int column = static_cast<int>(threadIdx.x) % kTileValues / kTileSize;
    const V* const of_row = p.csr_values + first * kTileValues + row * row_length + column;
#pragma unroll 4
    for (int tile = static_cast<int>(threadIdx.x) / kTileValues; tile < static_cast<int>(run.tiles);
         tile += kElementwiseThreads / kTileValues) {
        const std::int64_t at = run.first_tile + tile;
        p.values[at * kTileValues + threadIdx.x % kTileValues] = load_often(of_row + (at - first) * kTileSize);
    }
}

}  // namespace tilespmv::cuda
