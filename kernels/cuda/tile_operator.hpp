#pragma once

#include "kernels/cuda/device_operator.hpp"

namespace tilespmv::cuda {

/// The tiled product. Options: generic (0 or 1: walk every format by its contract instead of its warp routine; slow,
/// for new formats), item_values (values a warp takes at a time; 0: chosen from the matrix and the GPU), updatable (0
/// or 1: keep a map of 4 or 8 bytes per stored value in device memory, which `update_values` needs).
template <class V>
std::unique_ptr<DeviceOperator<V>> make_tile_operator(const DeviceSource<V>& source, Options& options,
                                                      Accumulator accumulator, cudaStream_t stream);

}  // namespace tilespmv::cuda
