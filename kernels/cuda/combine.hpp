#pragma once

#include <cuda_runtime_api.h>

#include "kernels/scalar.hpp"
#include "tile/types.hpp"

namespace tilespmv::cuda {

/// y = alpha * sums + beta * y on `size` values in device memory. y is not read if beta is 0, `sums` only if alpha is
/// not.
template <class V>
void launch_combine(const Scalar& alpha, const V* sums, const Scalar& beta, V* y, std::int64_t size,
                    cudaStream_t stream);

/// y = beta * y, the product with alpha = 0.
template <class V>
void launch_scale(V* y, std::int64_t size, const Scalar& beta, cudaStream_t stream) {
    launch_combine<V>(0, nullptr, beta, y, size, stream);
}

}  // namespace tilespmv::cuda
