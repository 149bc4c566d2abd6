#pragma once

#include "kernels/cuda/product.cuh"

namespace tilespmv::cuda {

/// The terms of a product of tiles.
template <class V, class A>
struct TileTerms : ProductTerms<V, A> {
    const A* other_sums = nullptr;  ///< of the rows, added to those of the tiles, unless null

    __device__ void write(std::int64_t row, A sum) const {
        ProductTerms<V, A>::write(row, other_sums == nullptr ? sum : sum + other_sums[row]);
    }
};

}  // namespace tilespmv::cuda
