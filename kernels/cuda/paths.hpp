#pragma once

#include <cstdint>
#include <vector>

#include "tile/tile_matrix.hpp"

namespace tilespmv::cuda {

/// How a tile row is executed.
enum class Path : std::uint8_t {
    batch,  ///< nonzero by nonzero, together with its neighbours: its tiles are too small to be worth a warp each
    dense,  ///< all of its tiles are dense, full and of 16 x 16: a stream of values
    tiles,  ///< tile by tile, each by the routine of its format
};

/// One for every tile row of a matrix.
using Paths = std::vector<Path>;

/// Warps that take a tile row each are slow to start: with fewer nonzeros than this for all of them the GPU waits.
inline constexpr offset_t kTilesFrom = 4'000'000;

/// The fastest path of every tile row, judged by its bytes and by how fast the routine of each format is; no tile row
/// goes tile by tile unless at least `tiles_from` nonzeros do.
template <Value V>
Paths choose_paths(const TileMatrix<V>& a, offset_t tiles_from = kTilesFrom);

}  // namespace tilespmv::cuda
