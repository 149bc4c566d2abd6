#pragma once

#include <cstdint>

#include "kernels/cuda/device_operator.hpp"
#include "tile/types.hpp"

namespace tilespmv::cuda {

/// The vectors and numbers of y = alpha * A * x + beta * y, in device memory.
template <class V, class A>
struct ProductTerms {
    const V* x = nullptr;
    V* y = nullptr;
    A alpha = 1;
    A beta = 0;
    index_t rows = 0;
    index_t cols = 0;
    std::uint64_t cache_policy = 0;  ///< of `load_once`, by `make_cache_policy`

    /// y of a row whose sum is known; y is not read if beta is 0.
    __device__ void write(std::int64_t row, A sum) const {
        A result = alpha * sum;
        if (beta != A(0)) result += beta * static_cast<A>(y[row]);
        y[row] = static_cast<V>(result);
    }
};

template <class A, class V>
ProductTerms<V, A> terms_of(const Product<V>& product, index_t rows, index_t cols) {
    return {product.x, product.y, static_cast<A>(product.alpha), static_cast<A>(product.beta),
            rows,      cols,      product.cache_policy};
}

}  // namespace tilespmv::cuda
