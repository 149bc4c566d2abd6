#pragma once

#include <cstdint>

namespace tilespmv::cuda {

/// y = beta * y, the product with alpha = 0: reads neither A nor x, and y only if beta is not 0.
template <class V, class A>
__global__ void scale(V* y, std::int64_t size, A beta) {
    const std::int64_t i = std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x;
    if (i < size) y[i] = beta == A(0) ? V(0) : static_cast<V>(beta * static_cast<A>(y[i]));
}

}  // namespace tilespmv::cuda
