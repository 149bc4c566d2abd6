#pragma once

#include "kernels/cuda/dependent_launch.cuh"
#include "kernels/cuda/load.cuh"
#include "kernels/cuda/product.cuh"
#include "kernels/cuda/warp.cuh"
#include "kernels/operators/strip/strip_rest.hpp"

namespace tilespmv::cuda {

/// `RestArrays` with what belongs to each nonzero: values, or columns while these are copied.
template <class T>
struct DeviceRest {
    const std::uint32_t* tile_rows = nullptr;
    const RestBefore* before = nullptr;
    std::int64_t count = 0;              ///< of tile rows
    const offset_t* row_ptrs = nullptr;  ///< of the whole matrix
    index_t rows = 0;                    ///< of the whole matrix
    const index_t* cols = nullptr;
    T* values = nullptr;

    [[nodiscard]] __device__ std::int64_t first_row(std::int64_t at) const {
        return std::int64_t{tile_rows[at]} * kTileSize;
    }
};

/// Copies what belongs to the nonzeros of a tile row out of what belongs to those of the whole matrix.
template <class T>
__device__ void copy_rest(const DeviceRest<T>& rest, const T* of_csr, std::int64_t at) {
    const std::int64_t row0 = rest.first_row(at);
    const offset_t first = rest.row_ptrs[row0];
    const offset_t count = rest.row_ptrs[min(row0 + kTileSize, std::int64_t{rest.rows})] - first;
    T* const to = rest.values + rest.before[at].nonzeros;
    for (offset_t i = threadIdx.x; i < count; i += kStripThreads) to[i] = load_often(of_csr + first + i);
}

/// The rows of a tile row, kLanes lanes each.
template <int kLanes, class V, class A>
__device__ void multiply_rest_rows(const DeviceRest<V>& rest, const ProductTerms<V, A>& p, std::int64_t at) {
    const std::int64_t row0 = rest.first_row(at);
    const offset_t* const ptrs = rest.row_ptrs + row0;
    const offset_t shift = rest.before[at].nonzeros - ptrs[0];
    const int lane = static_cast<int>(threadIdx.x) % kLanes;
    wait_for_stream();
    for (int r = static_cast<int>(threadIdx.x) / kLanes; r < kTileSize; r += kStripThreads / kLanes) {
        const bool is_there = row0 + r < rest.rows;
        const offset_t end = is_there ? ptrs[r + 1] + shift : 0;
        A sum = 0;
#pragma unroll 4
        for (offset_t k = is_there ? ptrs[r] + shift + lane : 0; k < end; k += kLanes) {
            const index_t col = load_once(rest.cols + k, p.cache_policy);
            sum += static_cast<A>(load_once(rest.values + k, p.cache_policy)) * static_cast<A>(load_x(p.x + col));
        }
        __syncwarp();  // see sum_of_lanes
        sum = sum_of_lanes<kLanes>(sum);
        if (is_there && lane == 0) p.write(row0 + r, sum);
    }
}

/// A tile row of `rest` by a block of threads: all rows at once, or a warp a row where these are long.
template <class V, class A>
__device__ void multiply_rest(const DeviceRest<V>& rest, const ProductTerms<V, A>& p, std::int64_t at) {
    constexpr int kFewLanes = kStripThreads / kTileSize;
    constexpr offset_t kLongRow = 32;
    const std::int64_t row0 = rest.first_row(at);
    const offset_t nonzeros = rest.row_ptrs[min(row0 + kTileSize, std::int64_t{rest.rows})] - rest.row_ptrs[row0];
    if (nonzeros > kLongRow * kTileSize) {
        multiply_rest_rows<kWarpSize>(rest, p, at);
    } else {
        multiply_rest_rows<kFewLanes>(rest, p, at);
    }
}

}  // namespace tilespmv::cuda
