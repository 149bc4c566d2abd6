#pragma once

#include "kernels/operators/tile/piece_sums.cuh"
#include "kernels/published/tile_warp/warp_routines.cuh"
#include "kernels/published/tile_warp/warp_tiles.hpp"

namespace tilespmv::cuda {

/// Everything one product reads and writes, all of it in device memory.
template <class V, class A>
struct TileWarpSpmv : ProductTerms<V, A> {
    const WarpTiles* warps = nullptr;
    const V* values = nullptr;              ///< the arena of the tiled matrix
    const std::uint8_t* indices = nullptr;  ///< that of index bytes
    DevicePieces<A> pieces;
    const A* deferred_sums = nullptr;  ///< of the rows, unless null
};

inline constexpr int kTileWarpThreads = kTileWarpsPerBlock * kWarpSize;

/// Shared memory of a warp.
template <class V, class A>
struct TileWarpStage {
    WarpTiles work;
    A row_sums[kTileSize];
    A products[kWarpSize];
    V x[WarpTiles::kMost][kTileSize];  ///< that each tile meets
    alignas(16) std::uint8_t index[WarpTiles::kMost * TileEntry::kMaxIndexBytes + 2 * sizeof(uint4)];
};

/// The work of one warp of a block.
template <class V, class A>
class TileWarpProduct {
public:
    /// `stages`: one for each warp of the block.
    __device__ TileWarpProduct(const TileWarpSpmv<V, A>& p, TileWarpStage<V, A>* stages)
        : p_(p), stages_(stages), warp_(static_cast<int>(threadIdx.x) / kWarpSize), stage_(stages[warp_]) {}

    __device__ void run() const {
        read_work();
        const std::uint8_t* const index = stage_index();
        wait_for_stream();
        stage_x();
        __syncwarp();
        A sum = multiply_tiles(index);
        sum += __shfl_xor_sync(kAllLanes, sum, kTileSize);
        if (lane_.half == 0) stage_.row_sums[lane_.row] = sum;
        __syncthreads();
        if (stage_.work.is_last != 0) end_tile_row();
    }

private:
    __device__ void read_work() const {
        constexpr int words = sizeof(WarpTiles) / sizeof(uint4);
        const std::int64_t at = std::int64_t{blockIdx.x} * kTileWarpsPerBlock + warp_;
        if (lane_.id < words) {
            const auto* from = reinterpret_cast<const uint4*>(p_.warps + at);
            reinterpret_cast<uint4*>(&stage_.work)[lane_.id] = __ldg(from + lane_.id);
        }
        __syncwarp();
    }

    /// Copies the index bytes of all tiles, in words, and asks for their values. Where the first tile's are then.
    [[nodiscard]] __device__ const std::uint8_t* stage_index() const {
        int values = 0;
        int bytes = 0;
        for (int t = 0; t < WarpTiles::kMost; ++t) {
            if (t >= stage_.work.count) break;
            values += stage_.work.tiles[t].values();
            bytes += stage_.work.tiles[t].index_bytes();
        }
        constexpr int word = sizeof(uint4);
        const int behind = static_cast<int>(stage_.work.first_byte % word);
        const auto* from = reinterpret_cast<const uint4*>(p_.indices + stage_.work.first_byte - behind);
#pragma unroll 1
        for (int at = lane_.id; at * word < behind + bytes; at += kWarpSize) {
            reinterpret_cast<uint4*>(stage_.index)[at] = __ldg(from + at);
        }
        constexpr int line = 128 / sizeof(V);
#pragma unroll 1
        for (int at = lane_.id * line; at < values; at += kWarpSize * line) {
            asm volatile("prefetch.global.L2 [%0];" ::"l"(p_.values + stage_.work.first_value + at));
        }
        return stage_.index + behind;
    }

    __device__ void stage_x() const {
#pragma unroll
        for (int i = 0; i < WarpTiles::kMost / 2; ++i) {
            const int t = 2 * i + lane_.half;
            const std::int64_t column = std::int64_t{stage_.work.tiles[t].column()} * kTileSize + lane_.row;
            if (t < stage_.work.count && column < p_.cols) stage_.x[t][lane_.row] = load_x(p_.x + column);
        }
    }

    /// One tile after the other; the sum of the lane.
    [[nodiscard]] __device__ A multiply_tiles(const std::uint8_t* index) const {
        const std::int64_t left = p_.rows - std::int64_t{stage_.work.tile_row} * kTileSize;
        const int rows = static_cast<int>(min(left, std::int64_t{kTileSize}));
        const V* values = p_.values + stage_.work.first_value;
        A sum = 0;
#pragma unroll 1
        for (int t = 0; t < stage_.work.count; ++t) {
            const TileEntry entry = stage_.work.tiles[t];
            const std::int64_t right = p_.cols - std::int64_t{entry.column()} * kTileSize;
            const int cols = static_cast<int>(min(right, std::int64_t{kTileSize}));
            const WarpTile<V, A> tile{{rows, cols, entry, values, index}, stage_.x[t],    stage_.products, lane_,
                                      min(lane_.row, rows - 1),           p_.cache_policy};
            formats::visit_format(entry.format(), [&]<class F>() { sum += multiply(F{}, tile); });
            __syncwarp();
            values += entry.values();
            index += entry.index_bytes();
        }
        return sum;
    }

    /// Adds up what the warps of the tile row have in this block, in their order, and writes the rows; those of a tile
    /// row of several blocks by the last of these.
    __device__ void end_tile_row() const {
        const WarpTiles& work = stage_.work;
        A sum = 0;
#pragma unroll 1
        for (int w = warp_ - work.warps_before; w <= warp_; ++w) sum += stages_[w].row_sums[lane_.row];
        if (work.piece >= 0 && !sum_of_pieces(p_.pieces, static_cast<std::uint32_t>(work.piece), lane_, sum)) return;
        const std::int64_t row = std::int64_t{work.tile_row} * kTileSize + lane_.row;
        if (lane_.half != 0 || row >= p_.rows) return;
        p_.write(row, p_.deferred_sums == nullptr ? sum : sum + p_.deferred_sums[row]);
    }

    const TileWarpSpmv<V, A>& p_;
    TileWarpStage<V, A>* stages_;
    Lane lane_;
    int warp_;
    TileWarpStage<V, A>& stage_;
};

/// y = alpha * A * x + beta * y.
template <class V, class A>
__global__ void __launch_bounds__(kTileWarpThreads, kTileWarpBlocks)
    tile_warp_spmv(const __grid_constant__ TileWarpSpmv<V, A> p) {
    __shared__ TileWarpStage<V, A> stages[kTileWarpsPerBlock];
    TileWarpProduct<V, A>(p, stages).run();
}

}  // namespace tilespmv::cuda
