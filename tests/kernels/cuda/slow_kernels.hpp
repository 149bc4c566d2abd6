#pragma once

#include <cuda_runtime_api.h>

namespace tilespmv::testing {

/// Copies `size` values after a delay, in one kernel of many blocks; what starts too early sees what was in `to`.
void copy_slowly(const double* from, double* to, int size, cudaStream_t stream);

/// The same, but lets the next kernel on the stream start before the delay.
void copy_slowly_letting_others_start(const double* from, double* to, int size, cudaStream_t stream);

}  // namespace tilespmv::testing
