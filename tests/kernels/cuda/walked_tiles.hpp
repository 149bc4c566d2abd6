#pragma once

#include <vector>

#include "tile/tile_matrix.hpp"

namespace tilespmv::testing {

/// A * x of a matrix whose tiles are all of one format and none is deferred, by `tile-warp`'s routine for that format
/// or, with `is_walked`, by the one for formats without a routine. One warp after the other.
std::vector<double> multiply_tiles_by_warp(const TileMatrix<double>& a, const std::vector<double>& x, bool is_walked);

}  // namespace tilespmv::testing
