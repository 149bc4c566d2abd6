#pragma once

#include "kernels/cuda/load.cuh"
#include "kernels/dia/dia.hpp"

namespace tilespmv::cuda {

/// Values for a matrix in DIA, from those of its CSR form.
template <class V>
struct DiaFill {
    const V* csr_values = nullptr;
    const offset_t* row_ptrs = nullptr;
    index_t rows = 0;
    DiaLayout layout;
    const std::uint64_t* held = nullptr;
    V* values = nullptr;
};

/// All places of the blocks of rows, a thread a row: the bits of a row tell which of its nonzeros is in which place.
template <class V>
__global__ void __launch_bounds__(DiaLayout::kRows) fill_dia(const __grid_constant__ DiaFill<V> p) {
    constexpr int kGroup = DiaLayout::kGroup;
    const std::int64_t row = std::int64_t{blockIdx.x} * DiaLayout::kRows + threadIdx.x;
    const V* next = p.csr_values + p.row_ptrs[min(row, std::int64_t{p.rows})];
    for (offset_t group = 0; group < p.layout.groups(); ++group) {
        const std::uint64_t held = load_often(p.held + p.layout.held_at(group, row)) >> row % 8;
        V* const places = p.values + p.layout.value_at(group * kGroup, row);
        const offset_t count = min(p.layout.diagonals - group * kGroup, offset_t{kGroup});
#pragma unroll
        for (int i = 0; i < kGroup; ++i) {
            const bool is_held = (held >> 8 * i & 1) != 0;
            if (i < count) places[i * DiaLayout::kRows] = is_held ? load_often(next) : V(0);
            next += is_held ? 1 : 0;
        }
    }
}

}  // namespace tilespmv::cuda
