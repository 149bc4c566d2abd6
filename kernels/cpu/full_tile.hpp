#pragma once

#include "tile/tile_matrix.hpp"

namespace tilespmv::cpu {

/// One tile of 16 x 16 where vector loads may run over its end.
template <Value V>
struct FullTile {
    /// Values and index bytes that must be readable past the tile, the latter only if it has any.
    static constexpr int kSlack = 80;

    TileEntry entry;
    const V* values;
    const std::uint8_t* index;
    const V* x;  ///< the 16 numbers of x under the tile
};

}  // namespace tilespmv::cpu
