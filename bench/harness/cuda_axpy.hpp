#pragma once

#include <cuda_runtime_api.h>

#include "kernels/block.hpp"
#include "tile/types.hpp"

namespace tilespmv::bench {

/// Writes x = x / 2 + z / 2, of one size: what moves before a product in a solver, as an axpy does; it starts early, as
/// kernels there do. Throws `Error` if it cannot be launched.
template <Value V>
void launch_axpy(cuda::DeviceSpan<V> x, cuda::DeviceSpan<const V> z, cudaStream_t stream);

}  // namespace tilespmv::bench
