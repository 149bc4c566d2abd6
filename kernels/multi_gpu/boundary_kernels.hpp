#pragma once

#include <cuda_runtime_api.h>

#include "tile/types.hpp"

namespace tilespmv::multi_gpu {

/// sent[i] = x[entries[i]]
template <class V>
struct Pack {
    std::int64_t count = 0;
    const index_t* entries = nullptr;
    const V* x = nullptr;
    V* sent = nullptr;
};

/// y[rows[i]] += alpha * (row i of the boundary) * halo
template <class V>
struct AddBoundary {
    index_t count = 0;  ///< rows
    const index_t* rows = nullptr;
    const offset_t* row_ptrs = nullptr;
    const index_t* col_idxs = nullptr;
    const V* values = nullptr;
    const V* halo = nullptr;
    double alpha = 1;
    V* y = nullptr;
};

/// May start before the kernel before it is complete, as most of an iteration. Nothing if `count` is 0.
template <class V>
void launch_pack(const Pack<V>& pack, cudaStream_t stream);

/// `nnz`: of the boundary, by which it chooses the threads of a row. Starts when all that it follows is complete: the
/// halo comes from another stream. Sums in double, in an order that the matrix fixes.
template <class V>
void launch_add_boundary(const AddBoundary<V>& product, offset_t nnz, cudaStream_t stream);

}  // namespace tilespmv::multi_gpu
