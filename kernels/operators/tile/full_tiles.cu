#include "kernels/operators/tile/full_tiles.hpp"

#include "formats/list.hpp"
#include "kernels/cuda/launch.cuh"
#include "kernels/cuda/tuning.hpp"
#include "kernels/cuda/warp.cuh"

namespace tilespmv::cuda {
namespace {

constexpr int kThreads = kElementwiseThreads;
constexpr int kValues = TileEntry::kMaxValues;

struct FullTilesToFind {
    index_t tile_rows = 0;
    const offset_t* row_ptrs = nullptr;
    const index_t* col_idxs = nullptr;
    offset_t* tile_ptrs = nullptr;
    TileEntry* tiles = nullptr;
    int* has_others = nullptr;
};

/// A warp for each tile row: half of it looks at every other tile, a lane at each row. Columns of a row ascend, so that
/// the first and the last of 16 tell whether they are those of a tile.
__global__ void __launch_bounds__(kThreads) find_full_tiles(const __grid_constant__ FullTilesToFind p) {
    const auto tile_row = static_cast<index_t>((std::int64_t{blockIdx.x} * kThreads + threadIdx.x) / kWarpSize);
    if (tile_row >= p.tile_rows) return;
    const Lane lane;
    const offset_t* const ptrs = p.row_ptrs + std::int64_t{tile_row} * kTileSize;
    const offset_t first = ptrs[0];
    const offset_t length = ptrs[1] - first;
    const bool is_whole =
        first % kValues == 0 && length > 0 && length % kTileSize == 0 && ptrs[lane.row + 1] - ptrs[lane.row] == length;
    bool is_full = __all_sync(kAllLanes, is_whole) != 0;
    const offset_t tiles = is_full ? length / kTileSize : 0;
    for (offset_t k = lane.half; k < tiles; k += 2) {
        const index_t* const columns = p.col_idxs + first + lane.row * length + k * kTileSize;
        const index_t of_tile = p.col_idxs[first + k * kTileSize];
        is_full = is_full && of_tile % kTileSize == 0 && columns[0] == of_tile &&
                  columns[kTileSize - 1] == of_tile + kTileSize - 1;
        if (lane.row == 0) {
            p.tiles[first / kValues + k] =
                TileEntry(of_tile / kTileSize, formats::id_of<formats::Dense>, kValues, kValues, 0, 0);
        }
    }
    if (!is_full) *p.has_others = 1;
    if (lane.id == 0) p.tile_ptrs[tile_row] = first / kValues;
}

}  // namespace

std::optional<FullTiles> full_tiles(index_t rows, offset_t nnz, const offset_t* row_ptrs, const index_t* col_idxs,
                                    const DeviceContext& on) {
    if (nnz == 0 || rows % kTileSize != 0 || nnz % kValues != 0) return std::nullopt;
    const auto tile_rows = static_cast<std::size_t>(rows / kTileSize);
    const offset_t tiles = nnz / kValues;
    FullTiles full{Buffer<offset_t>(tile_rows + 1), DeviceBuffer<offset_t>(tile_rows + 1, on),
                   DeviceBuffer<TileEntry>(static_cast<std::size_t>(tiles), on)};
    const DeviceBuffer<int> has_others(1, on);
    TILESPMV_CUDA(cudaMemsetAsync(has_others.data(), 0, has_others.bytes(), on.stream));
    launch(find_full_tiles, div_up(std::int64_t{rows / kTileSize} * kWarpSize, kThreads), kThreads,
           FullTilesToFind{rows / kTileSize, row_ptrs, col_idxs, full.tile_ptrs.data(), full.tiles.data(),
                           has_others.data()},
           on.stream);
    TILESPMV_CUDA(
        cudaMemcpyAsync(full.tile_ptrs.data() + tile_rows, &tiles, sizeof tiles, cudaMemcpyHostToDevice, on.stream));
    int others = 0;
    has_others.download({&others, 1}, on.stream);
    if (others != 0) return std::nullopt;
    copy_to_host(full.tile_ptrs_on_host.data(), full.tile_ptrs.data(), full.tile_ptrs.bytes(), on.stream);
    return full;
}

}  // namespace tilespmv::cuda
