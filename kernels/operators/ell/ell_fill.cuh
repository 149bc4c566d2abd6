#pragma once

#include "kernels/cuda/launch.cuh"
#include "kernels/cuda/load.cuh"
#include "kernels/cuda/tuning.hpp"
#include "kernels/operators/ell/ell.hpp"

namespace tilespmv::cuda {

/// What belongs to the places of a matrix in ELL (columns, or values), from what belongs to the nonzeros of its CSR
/// form.
template <class T>
struct EllFill {
    const T* of_csr = nullptr;
    const offset_t* row_ptrs = nullptr;
    index_t rows = 0;
    offset_t width = 0;
    T none{};  ///< for places without a nonzero
    T* places = nullptr;
};

/// All places, a thread a row, several at a time, so that what a thread reads of a sector it reads together.
template <class T>
__global__ void __launch_bounds__(kEllThreads) fill_ell(const __grid_constant__ EllFill<T> p) {
    constexpr int kTogether = 8;
    const std::int64_t row = std::int64_t{blockIdx.x} * kEllThreads + threadIdx.x;
    if (row >= p.rows) return;
    const T* const of_row = p.of_csr + p.row_ptrs[row];
    const offset_t length = p.row_ptrs[row + 1] - p.row_ptrs[row];
    for (offset_t first = 0; first < p.width; first += kTogether) {
        T values[kTogether];
#pragma unroll
        for (int i = 0; i < kTogether; ++i) {
            values[i] = p.none;
            if (first + i < length) values[i] = load_often(of_row + first + i);
        }
#pragma unroll
        for (int i = 0; i < kTogether; ++i) {
            if (first + i < p.width) p.places[(first + i) * p.rows + row] = values[i];
        }
    }
}

/// What belongs to the nonzeros, back from their places.
template <class T>
struct EllToCsr {
    const T* places = nullptr;
    const offset_t* row_ptrs = nullptr;
    index_t rows = 0;
    T* of_csr = nullptr;
};

template <class T>
__global__ void __launch_bounds__(kEllThreads) read_ell(EllToCsr<T> p) {
    const std::int64_t row = std::int64_t{blockIdx.x} * kEllThreads + threadIdx.x;
    if (row >= p.rows) return;
    T* const of_row = p.of_csr + p.row_ptrs[row];
    const offset_t length = p.row_ptrs[row + 1] - p.row_ptrs[row];
    for (offset_t k = 0; k < length; ++k) of_row[k] = p.places[k * p.rows + row];
}

/// Fills all places; neither allocates nor synchronises.
template <class T>
void launch_fill_ell(const EllFill<T>& fill, cudaStream_t stream) {
    launch(fill_ell<T>, div_up(std::int64_t{fill.rows}, std::int64_t{kEllThreads}), kEllThreads, fill, stream);
}

}  // namespace tilespmv::cuda
