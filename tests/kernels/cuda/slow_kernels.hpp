#pragma once

#include <cuda_runtime_api.h>

namespace tilespmv::testing {

/// Copies `size` values after a delay, in one kernel of many blocks; what starts too early sees what was in `to`. Of
/// every value type.
template <class V>
void copy_slowly(const V* from, V* to, int size, cudaStream_t stream);

/// The same, but lets the next kernel on the stream start before the delay.
template <class V>
void copy_slowly_letting_others_start(const V* from, V* to, int size, cudaStream_t stream);

/// The architecture that kernels were compiled for, as they know it: __CUDA_ARCH__, 900 for 9.0.
int architecture_of_kernels();

}  // namespace tilespmv::testing
