#pragma once

#include "kernels/cuda/device_operator.hpp"

namespace tilespmv::cuda {

/// The tiled product: every tile in the way of its format (`slots.hpp`), deferred nonzeros as CSR rows. Made from
/// `DeviceSource::tiles`; the CSR form is read only for a map of values, and unpacked if it is not there.
/// Options: updatable (0; 1: keep a map of 4 or 8 bytes per stored value in device memory, which `update_values`
/// needs).
template <class V>
std::unique_ptr<DeviceOperator<V>> make_tile_operator(const DeviceSource<V>& source, Options& options,
                                                      Accumulator accumulator, cudaStream_t stream);

}  // namespace tilespmv::cuda
