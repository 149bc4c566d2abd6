#pragma once

#include <optional>
#include <vector>

#include "tile/csr.hpp"
#include "tile/tile_matrix.hpp"

namespace tilespmv::cuda {

/// The tiles of a matrix of which each tile row is nothing but full ones, without their values. All rows of a tile row
/// have the same columns, so that the values of its tiles are the same part of CSR's, in another order.
struct FullTiles {
    Buffer<offset_t> tile_ptrs;  ///< of all tile rows, with the end
    Buffer<TileEntry> tiles;     ///< dense, of 256 values each

    [[nodiscard]] index_t tile_rows() const { return static_cast<index_t>(tile_ptrs.size()) - 1; }
};

/// Those of `a`; none if any tile row of it has other nonzeros, none, or fewer than 16 rows.
template <Value V>
std::optional<FullTiles> full_tiles(const CsrMatrix<V>& a);

}  // namespace tilespmv::cuda
