#pragma once

#include "kernels/cuda/batch.hpp"
#include "kernels/cuda/dense_runs.hpp"
#include "kernels/cuda/paths.hpp"
#include "kernels/cuda/schedule.hpp"
#include "kernels/cuda/tile_subset.hpp"

namespace tilespmv::cuda {

/// A matrix taken apart by the paths of its tile rows, and how the GPU shares each part, in the memory of the host.
template <Value V>
struct TileWork {
    Batch batch;
    Buffer<V> batch_values;  ///< none if all of the matrix is a batch: they are those of the CSR matrix then
    TileSubset<V> dense;
    DenseRuns dense_runs;
    TileSubset<V> tiles;
    Schedule schedule;

    /// `csr` is the matrix that was taken apart.
    [[nodiscard]] const Buffer<V>& values_of_batch(const CsrMatrix<V>& csr) const {
        return batch.nonzeros == csr.nnz() ? csr.values : batch_values;
    }
};

/// What must be kept busy.
struct GpuSize {
    int multiprocessors = 0;
    int warps = 0;  ///< of a multiprocessor
};

/// `csr` is the matrix that `m` was converted from.
template <Value V>
TileWork<V> take_apart(const CsrMatrix<V>& csr, const TileMatrix<V>& m, const Paths& paths, GpuSize gpu);

}  // namespace tilespmv::cuda
