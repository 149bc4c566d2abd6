#pragma once

#include "kernels/cuda/device_operator.hpp"

namespace tilespmv::cuda {

/// The tiled product: every tile by the routine of its format, deferred nonzeros as CSR rows. Made from
/// `DeviceSource::tiles`; the CSR form is read only for a map of values, and unpacked if it is not there.
/// Options: generic (0; 1: every format is walked by its contract instead of its routine; slow, for new formats),
/// updatable (0; 1: keep a map of 4 or 8 bytes per stored value in device memory, which `update_values` needs).
template <class V>
std::unique_ptr<DeviceOperator<V>> make_tile_operator(const DeviceSource<V>& source, Options& options,
                                                      Accumulator accumulator, cudaStream_t stream);

}  // namespace tilespmv::cuda
