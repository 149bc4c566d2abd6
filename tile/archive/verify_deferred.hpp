#pragma once

#include <span>

#include "tile/tile_matrix.hpp"

namespace tilespmv::detail {

/// The part of `validate` (tile/archive/verify_tiles.hpp) that is about the deferred part; sizes and level 1 must be
/// checked already.
template <Value V>
void validate_deferred(const TileMatrix<V>& a, std::span<const FormatInfo> formats);

}  // namespace tilespmv::detail
