#pragma once

#include <cstdint>
#include <vector>

#include "tile/tile_matrix.hpp"

namespace tilespmv::cuda {

/// How a tile row is executed.
enum class Path : std::uint8_t {
    csr16,  ///< nonzero by nonzero, as CSR with columns of 16 bits
    dense,  ///< all of its tiles are dense, full and of 16 x 16: a stream of values
    tiles,  ///< in slots and entries, as the format of each tile says, deferred nonzeros as CSR rows
};

/// One for every tile row of a matrix.
using Paths = std::vector<Path>;

/// Deferred nonzeros of a tile row.
template <Value V>
offset_t deferred_nnz(const DeferredCsr<V>& d, std::int64_t tile_row);

/// Whether the k-th listed tile row consists of full dense tiles and defers nothing.
template <Value V>
bool is_dense(const TileMatrix<V>& a, offset_t k);

/// Every tile row as tiles: `dense` where it is, else `tiles`.
template <Value V>
Paths paths_by_format(const TileMatrix<V>& a);

}  // namespace tilespmv::cuda
