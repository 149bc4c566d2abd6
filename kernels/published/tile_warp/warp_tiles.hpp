#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "kernels/operators/tile/tile_pieces.hpp"
#include "tile/tile_matrix.hpp"

/// Which warp multiplies which tiles (Niu et al., "TileSpMV", IPDPS 2021): up to four of one tile row each.
namespace tilespmv::cuda {

/// Warps of a thread block. A tile row that needs no more is in one block, whose shared memory takes the sums.
inline constexpr int kTileWarpsPerBlock = 4;
/// Resident blocks of a multiprocessor: with more a lane has too few registers for its loads.
inline constexpr int kTileWarpBlocks = 10;

/// The work of one warp: tiles that lie one after the other in the arenas.
struct alignas(16) WarpTiles {
    static constexpr int kMost = 4;

    std::array<TileEntry, kMost> tiles;
    std::int64_t first_value = 0;  ///< of the first tile, in the arena of values
    std::int64_t first_byte = 0;   ///< in the arena of index bytes
    std::uint32_t tile_row = 0;
    std::uint8_t count = 0;         ///< of the tiles; 0 where a tile row has none, and of warps without work
    std::uint8_t warps_before = 0;  ///< warps of its tile row in its block that come before it
    std::uint8_t is_last = 0;       ///< 1: of its tile row's warps in its block; it adds up what these have
    std::uint8_t unused = 0;
    std::int32_t piece =
        -1;  ///< position in `WarpPlan::pieces` of the block's part of a split tile row; -1: it is whole
    std::uint32_t spare = 0;
};
static_assert(sizeof(WarpTiles) == 64);

/// The work of all warps of a product, so many for each block.
struct WarpPlan {
    std::vector<WarpTiles> warps;
    TilePieces pieces;  ///< of tile rows of more than one block, one for each of their blocks
};

/// Every tile row of `a` has at least one warp, so that its rows are written, also those without tiles.
template <Value V>
WarpPlan plan_warps(const TileMatrix<V>& a);

/// The deferred nonzeros of `a` as a matrix of the same size; columns and values are those of `a`, which must outlive
/// it.
template <Value V>
CsrMatrix<V> deferred_alone(const TileMatrix<V>& a);

}  // namespace tilespmv::cuda
