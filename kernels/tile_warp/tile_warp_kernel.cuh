#pragma once

#include "kernels/tile/piece_sums.cuh"
#include "kernels/tile/tile_terms.cuh"
#include "kernels/tile_warp/warp_routines.cuh"
#include "kernels/tile_warp/warp_tiles.hpp"

namespace tilespmv::cuda {

/// Everything one product reads and writes, all of it in device memory.
template <class V, class A>
struct TileWarpSpmv : TileTerms<V, A> {
    const WarpTiles* warps = nullptr;
    const V* values = nullptr;              ///< the arena of the tiled matrix
    const std::uint8_t* indices = nullptr;  ///< that of index bytes
    DevicePieces<A> pieces;
};

inline constexpr int kTileWarpThreads = kTileWarpsPerBlock * kWarpSize;

/// Shared memory of a block.
template <class A>
struct TileWarpStage {
    WarpTiles work[kTileWarpsPerBlock];
    A row_sums[kTileWarpsPerBlock][kTileSize];
};

/// The work of one warp of a block.
template <class V, class A>
class TileWarpProduct {
public:
    __device__ TileWarpProduct(const TileWarpSpmv<V, A>& p, TileWarpStage<A>& stage)
        : p_(p), stage_(stage), warp_(static_cast<int>(threadIdx.x) / kWarpSize), work_(stage.work[warp_]) {}

    __device__ void run() const {
        begin();
        wait_for_stream();
        A sum = multiply_tiles();
        sum += __shfl_xor_sync(kAllLanes, sum, kTileSize);
        if (lane_.half == 0) stage_.row_sums[warp_][lane_.row] += sum;
        __syncthreads();
        if (work_.is_last != 0) end_tile_row();
    }

private:
    /// Reads what there is to do and asks for the arrays of all tiles, so that these wait for the cache only.
    __device__ void begin() const {
        constexpr int words = sizeof(WarpTiles) / sizeof(uint4);
        const std::int64_t at = std::int64_t{blockIdx.x} * kTileWarpsPerBlock + warp_;
        if (lane_.id < words) {
            const auto* from = reinterpret_cast<const uint4*>(p_.warps + at);
            reinterpret_cast<uint4*>(&stage_.work[warp_])[lane_.id] = __ldg(from + lane_.id);
        }
        if (lane_.half == 0) stage_.row_sums[warp_][lane_.row] = 0;
        __syncwarp();
        int values = 0;
        int bytes = 0;
        for (const TileEntry tile : work_.tiles) {  // those that are none count as one value
            values += tile.values();
            bytes += tile.index_bytes();
        }
        ask_for(p_.indices + work_.first_byte, bytes);
        ask_for(p_.values + work_.first_value, values * static_cast<int>(sizeof(V)));
    }

    __device__ void ask_for(const void* first, int bytes) const {
        constexpr int line = 128;
#pragma unroll 1
        for (int at = lane_.id * line; at < bytes; at += kWarpSize * line) {
            asm volatile("prefetch.global.L2 [%0];" ::"l"(static_cast<const char*>(first) + at));
        }
    }

    /// One tile after the other; the sum of the lane.
    [[nodiscard]] __device__ A multiply_tiles() const {
        const std::int64_t left = p_.rows - std::int64_t{work_.tile_row} * kTileSize;
        const V* values = p_.values + work_.first_value;
        const std::uint8_t* index = p_.indices + work_.first_byte;
        A sum = 0;
#pragma unroll 1
        for (int t = 0; t < work_.count; ++t) {
            const TileEntry entry = work_.tiles[t];
            const std::int64_t column = std::int64_t{entry.column()} * kTileSize;
            const int rows = static_cast<int>(min(left, std::int64_t{kTileSize}));
            const int cols = static_cast<int>(min(p_.cols - column, std::int64_t{kTileSize}));
            const WarpTile<V, A> tile{{rows, cols, entry, values, index}, p_.x + column,  stage_.row_sums[warp_], lane_,
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
        A sum = 0;
#pragma unroll 1
        for (int w = warp_ - work_.warps_before; w <= warp_; ++w) sum += stage_.row_sums[w][lane_.row];
        if (work_.piece >= 0 && !sum_of_pieces(p_.pieces, static_cast<std::uint32_t>(work_.piece), lane_, sum)) return;
        const std::int64_t row = std::int64_t{work_.tile_row} * kTileSize + lane_.row;
        if (lane_.half == 0 && row < p_.rows) p_.write(row, sum);
    }

    const TileWarpSpmv<V, A>& p_;
    TileWarpStage<A>& stage_;
    Lane lane_;
    int warp_;
    const WarpTiles& work_;
};

/// y = alpha * A * x + beta * y.
template <class V, class A>
__global__ void __launch_bounds__(kTileWarpThreads, kTileWarpBlocks)
    tile_warp_spmv(const __grid_constant__ TileWarpSpmv<V, A> p) {
    __shared__ TileWarpStage<A> stage;
    TileWarpProduct<V, A>(p, stage).run();
}

}  // namespace tilespmv::cuda
