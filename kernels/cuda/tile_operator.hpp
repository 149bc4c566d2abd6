#pragma once

#include "kernels/cuda/device_operator.hpp"
#include "tile/tile_matrix.hpp"

namespace tilespmv::cuda {

/// How the tiled product is run.
struct TileOptions {
    bool generic = false;      ///< walk every format by its contract instead of its warp routine; slow, for new formats
    offset_t item_values = 0;  ///< values a warp takes at a time; 0: chosen from the matrix and the GPU
};

/// The tiled product on the GPU: uploads `tiles` on `stream` and waits for it. Sums are accumulated in double.
/// Throws `Error` (out of memory, with the bytes; CUDA errors).

template <class V>
std::unique_ptr<DeviceOperator<V>> make_tile_operator(const TileMatrix<V>& tiles, const TileOptions& options,
                                                      cudaStream_t stream);

}  // namespace tilespmv::cuda
