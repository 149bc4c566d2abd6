#pragma once

#include "kernels/tile/paths.hpp"

namespace tilespmv::cuda {

/// Warps that take a tile row each are slow to start: with fewer nonzeros than this for all of them the GPU waits.
inline constexpr offset_t kTilesFrom = 4'000'000;

/// The fastest path of every tile row, judged by its nonzeros and how long those of each format take; no tile row goes
/// tile by tile unless at least `tiles_from` nonzeros do.
template <Value V>
Paths choose_paths(const TileMatrix<V>& a, offset_t tiles_from = kTilesFrom);

}  // namespace tilespmv::cuda
