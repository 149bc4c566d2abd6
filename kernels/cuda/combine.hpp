#pragma once

#include <cuda_runtime_api.h>

#include "kernels/block.hpp"
#include "tile/types.hpp"

namespace tilespmv::cuda {

/// y = alpha * sums + beta * y on `size` values in device memory, those of y `step` apart. y is not read if beta is 0,
/// `sums` only if alpha is not.
template <class V>
void launch_combine(const Scalar& alpha, const V* sums, const Scalar& beta, V* y, std::int64_t size,
                    cudaStream_t stream, std::int64_t step = 1);

/// Copies `size` values that are `step` apart in device memory into one place.
template <class V>
void launch_gather(const V* from, std::int64_t step, V* to, std::int64_t size, cudaStream_t stream);

/// y = beta * y, the product with alpha = 0.
template <class V>
void launch_scale(V* y, std::int64_t size, const Scalar& beta, cudaStream_t stream, std::int64_t step = 1) {
    launch_combine<V>(0, nullptr, beta, y, size, stream, step);
}

}  // namespace tilespmv::cuda
