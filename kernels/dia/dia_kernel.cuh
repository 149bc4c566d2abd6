#pragma once

#include "kernels/cuda/dependent_launch.cuh"
#include "kernels/cuda/load.cuh"
#include "kernels/cuda/product.cuh"
#include "kernels/cuda/tuning.hpp"
#include "kernels/dia/dia.hpp"

namespace tilespmv::cuda {

/// A `Dia` in device memory and what it is multiplied with.
template <class V, class A>
struct DiaSpmv : ProductTerms<V, A> {
    const DiaOffsets* offsets = nullptr;
    const std::uint64_t* held = nullptr;
    const V* values = nullptr;
    offset_t diagonals = 0;
    offset_t stride = 0;

    [[nodiscard]] __device__ int diagonals_of(offset_t group) const {
        return static_cast<int>(min(diagonals - group * Dia<V>::kGroup, offset_t{Dia<V>::kGroup}));
    }
    /// x of a row for each diagonal of a group. Of a place that is not held it is some x nearby, so that no load
    /// depends on what another one gave; its product is left out.
    __device__ void load_factors(V (&factors)[Dia<V>::kGroup], index_t row, const DiaOffsets& offsets,
                                 int count) const {
#pragma unroll
        for (int i = 0; i < Dia<V>::kGroup; ++i) {  // a column left of the first one is a large number
            const unsigned column = static_cast<unsigned>(row) + static_cast<unsigned>(offsets.of[i]);
            if (i < count) factors[i] = load_x(this->x + min(column, static_cast<unsigned>(this->cols) - 1));
        }
    }
};

/// A thread a row, a group of diagonals at a time.
template <class V, class A>
__global__ void __launch_bounds__(kDiaThreads) dia_spmv(const __grid_constant__ DiaSpmv<V, A> p) {
    constexpr int kGroup = Dia<V>::kGroup;
    const std::int64_t at = std::int64_t{blockIdx.x} * kDiaThreads + threadIdx.x;
    if (at >= p.rows) return;
    const auto row = static_cast<index_t>(at);
    A sum = 0;
    for (offset_t group = 0; group * kGroup < p.diagonals; ++group) {
        const int count = p.diagonals_of(group);
        const DiaOffsets offsets = load_wide(p.offsets + group);
        const std::uint64_t held = load_once(p.held + group * (p.stride / 8) + row / 8, p.cache_policy) >> row % 8;
        V values[kGroup];
        V factors[kGroup];
#pragma unroll
        for (int i = 0; i < kGroup; ++i) {
            if (i < count) values[i] = load_once(p.values + (group * kGroup + i) * p.stride + row, p.cache_policy);
        }
        wait_for_stream();
        p.load_factors(factors, row, offsets, count);
#pragma unroll
        for (int i = 0; i < kGroup; ++i) {
            if ((held >> 8 * i & 1) != 0) sum += static_cast<A>(values[i]) * static_cast<A>(factors[i]);
        }
    }
    wait_for_stream();  // a matrix without diagonals, too
    p.write(row, sum);
}

}  // namespace tilespmv::cuda
