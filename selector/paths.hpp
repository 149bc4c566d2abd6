#pragma once

#include <cstdint>
#include <vector>

#include "tile/tile_matrix.hpp"

namespace tilespmv {

/// How a tile row is executed.
enum class Path : std::uint8_t {
    dense,  ///< all of its tiles are dense, full and of 16 x 16: a stream of values
    tiles,  ///< in slots and entries, as the format of each tile says, deferred nonzeros as CSR rows
};

/// One for every tile row of a matrix, empty ones included.
using Paths = std::vector<Path>;

/// `dense` where it consists of full dense tiles and defers nothing, else `tiles`.
template <Value V>
Paths paths_by_format(const TileMatrix<V>& a);

/// The share of the nonzeros that no slot takes: deferred, in COO tiles that are no diagonal, in the COO part of HYB.
template <Value V>
double scattered_share(const TileMatrix<V>& a);

}  // namespace tilespmv
