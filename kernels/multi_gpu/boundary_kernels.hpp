#pragma once

#include <cuda_runtime_api.h>

#include "tile/types.hpp"

namespace tilespmv::multi_gpu {

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

/// `nnz`: of the boundary, by which it chooses the threads of a row. Sums in double, in an order that the matrix fixes.
/// `may_start_early`: it follows a kernel on the same stream, and nothing else.
template <class V>
void launch_add_boundary(const AddBoundary<V>& product, offset_t nnz, bool may_start_early, cudaStream_t stream);

}  // namespace tilespmv::multi_gpu
