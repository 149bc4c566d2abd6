#pragma once

#include <optional>

#include "kernels/cuda/device_buffer.hpp"
#include "kernels/source.hpp"
#include "tile/tile_matrix.hpp"

namespace tilespmv::cuda {

/// The tiles of a matrix of which each tile row is nothing but full ones, in device memory, without their values. All
/// rows of a tile row have the same columns, so that the values of its tiles are the same part of CSR's, in another
/// order.
struct FullTiles {
    Buffer<offset_t> tile_ptrs_on_host;
    DeviceBuffer<offset_t> tile_ptrs;  ///< of all tile rows, with the end
    DeviceBuffer<TileEntry> tiles;     ///< dense, of 256 values each

    [[nodiscard]] index_t tile_rows() const { return static_cast<index_t>(tile_ptrs.size()) - 1; }
};

/// Those of a CSR matrix in device memory, whose row pointers were checked; none if any tile row of it has other
/// nonzeros, none, or fewer than 16 rows. Waits for the stream.
std::optional<FullTiles> full_tiles(index_t rows, offset_t nnz, const offset_t* row_ptrs, const index_t* col_idxs,
                                    const DeviceContext& on);

}  // namespace tilespmv::cuda
