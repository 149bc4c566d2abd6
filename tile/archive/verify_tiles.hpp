#pragma once

#include <span>

#include "tile/tile_matrix.hpp"

namespace tilespmv {

/// Checks a matrix of unknown origin against everything that `TileMatrix` and the formats promise, so that code that
/// trusts it stays inside its buffers and inside rows x cols: sizes, level 1, every index byte of every tile, the
/// deferred part, the number of nonzeros, that no position is both tiled and deferred, and that all bits of padding
/// and of what index bytes leave over are 0, since kernels may multiply padding. Other values may be anything.
/// Runs in parallel over tile rows. Throws `Error` naming the first broken tile or row, and how.
template <Value V>
void validate(const TileMatrix<V>& a, std::span<const FormatInfo> formats);

}  // namespace tilespmv
