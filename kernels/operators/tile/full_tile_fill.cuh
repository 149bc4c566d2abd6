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

/// The CSR form of such a matrix.
template <class V>
struct FullTilesToCsr {
    const DenseRun* runs = nullptr;
    const offset_t* tile_ptrs = nullptr;
    const TileEntry* tiles = nullptr;
    const V* values = nullptr;
    CsrToWrite<V> csr;  ///< whose first row pointer is 0 already
};

/// A block a run, a thread a value. The first run of a tile row writes where its rows end.
template <class V>
__global__ void __launch_bounds__(kElementwiseThreads) read_full_tiles(const __grid_constant__ FullTilesToCsr<V> p) {
    constexpr int kTileValues = kTileSize * kTileSize;
    const DenseRun run = p.runs[blockIdx.x];
    const offset_t first = p.tile_ptrs[run.tile_row];
    const std::int64_t row_length = (p.tile_ptrs[run.tile_row + 1] - first) * kTileSize;
    const int at = static_cast<int>(threadIdx.x);
    if (run.first_tile == first && at < kTileSize) {
        p.csr.row_ptrs[std::int64_t{run.tile_row} * kTileSize + at + 1] = first * kTileValues + (at + 1) * row_length;
    }
    const int row = at % kTileSize;
    const int column = at % kTileValues / kTileSize;
    for (std::int64_t tile = run.first_tile + at / kTileValues; tile < run.first_tile + run.tiles;
         tile += kElementwiseThreads / kTileValues) {
        const std::int64_t to = first * kTileValues + row * row_length + (tile - first) * kTileSize + column;
        p.csr.col_idxs[to] = p.tiles[tile].column() * kTileSize + column;
        p.csr.values[to] = p.values[tile * kTileValues + at % kTileValues];
    }
}

}  // namespace tilespmv::cuda
