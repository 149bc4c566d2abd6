#pragma once

#include "kernels/cuda/device_operator.hpp"

namespace tilespmv::cuda {

/// The tiled product; `choose_paths` says how each tile row is executed. Options: batch (1; 0: no tile row is batched),
/// tiles_from (4,000,000: fewest nonzeros for which tile rows that gain from it go tile by tile), generic (0; 1: every
/// format is walked by its contract instead of its routine; slow, for new formats), updatable (0; 1: keep a map of 4 or
/// 8 bytes per stored value in device memory, which `update_values` needs unless all of the matrix is a batch).
template <class V>
std::unique_ptr<DeviceOperator<V>> make_tile_operator(const DeviceSource<V>& source, Options& options,
                                                      Accumulator accumulator, cudaStream_t stream);

}  // namespace tilespmv::cuda
