#pragma once

#include <limits>

#include "kernels/cuda/device_operator.hpp"
#include "kernels/cuda/load.cuh"
#include "kernels/cuda/warp.cuh"
#include "kernels/operators/dia/dia.hpp"

namespace tilespmv::cuda {

/// Values for a matrix in DIA, and which places hold one, from its CSR form.
template <class V>
struct DiaFill {
    const V* csr_values = nullptr;
    const offset_t* row_ptrs = nullptr;
    index_t rows = 0;
    DiaLayout layout;
    std::uint64_t* held = nullptr;
    V* values = nullptr;
    // What new values leave as it is:
    const index_t* csr_cols = nullptr;
    const DiaOffsets* offsets = nullptr;

    /// The bits of the rows of these 8 lanes in a group. `next`: the first nonzero of the row of this thread that is
    /// not in a group before, or `end`. Columns ascend, as offsets do; those that may be in the group are on their way
    /// at once.
    __device__ std::uint64_t bits_of(offset_t group, std::int64_t row, offset_t next, offset_t end) const {
        const DiaOffsets of_group = offsets[group];
        const offset_t count = layout.diagonals - group * DiaLayout::kGroup;
        const unsigned first_lane = threadIdx.x % kWarpSize / 8 * 8;
        index_t found[DiaLayout::kGroup];
#pragma unroll
        for (int k = 0; k < DiaLayout::kGroup; ++k) {
            found[k] = std::numeric_limits<index_t>::min();  // less than every offset
            if (next + k < end) found[k] = load_often(csr_cols + next + k) - static_cast<index_t>(row);
        }
        std::uint64_t bits = 0;
#pragma unroll
        for (int i = 0; i < DiaLayout::kGroup; ++i) {
            bool is_held = false;
#pragma unroll
            for (int k = 0; k <= i; ++k) is_held = is_held || found[k] == of_group.of[i];
            const std::uint64_t of_rows = __ballot_sync(kAllLanes, i < count && is_held) >> first_lane & 0xff;
            bits |= of_rows << 8 * i;
        }
        return bits;
    }
};

/// All places of the blocks of rows, a thread a row: the bits of a row tell which of its nonzeros is in which place.
/// They are found first, or are there already.
template <class V, bool kWithBits>
__global__ void __launch_bounds__(DiaLayout::kRows) fill_dia(const __grid_constant__ DiaFill<V> p) {
    constexpr int kGroup = DiaLayout::kGroup;
    const std::int64_t row = std::int64_t{blockIdx.x} * DiaLayout::kRows + threadIdx.x;
    offset_t next = p.row_ptrs[min(row, std::int64_t{p.rows})];
    const offset_t end = kWithBits ? p.row_ptrs[min(row + 1, std::int64_t{p.rows})] : 0;
    for (offset_t group = 0; group < p.layout.groups(); ++group) {
        std::uint64_t* const of_rows = p.held + p.layout.held_at(group, row);
        std::uint64_t held = 0;
        if constexpr (kWithBits) {
            held = p.bits_of(group, row, next, end);
            if (row % 8 == 0) *of_rows = held;
        } else {
            held = load_often(of_rows);
        }
        held >>= row % 8;
        V* const places = p.values + p.layout.value_at(group * kGroup, row);
        const offset_t count = min(p.layout.diagonals - group * kGroup, offset_t{kGroup});
        V values[kGroup];
#pragma unroll
        for (int i = 0; i < kGroup; ++i) {
            const bool is_held = (held >> 8 * i & 1) != 0;
            values[i] = V(0);
            if (is_held) values[i] = load_often(p.csr_values + next);
            next += is_held ? 1 : 0;
        }
#pragma unroll
        for (int i = 0; i < kGroup; ++i) {
            if (i < count) places[i * DiaLayout::kRows] = values[i];
        }
    }
}

template <class V>
struct DiaToCsr {
    index_t rows = 0;
    DiaLayout layout;
    const std::uint64_t* held = nullptr;
    const V* values = nullptr;
    const DiaOffsets* offsets = nullptr;
    const offset_t* row_ptrs = nullptr;
    CsrToWrite<V> csr;
};

/// Columns and values of the nonzeros, a thread a row.
template <class V>
__global__ void __launch_bounds__(DiaLayout::kRows) read_dia(DiaToCsr<V> p) {
    constexpr int kGroup = DiaLayout::kGroup;
    const std::int64_t row = std::int64_t{blockIdx.x} * DiaLayout::kRows + threadIdx.x;
    if (row >= p.rows) return;
    offset_t next = p.row_ptrs[row];
    for (offset_t group = 0; group < p.layout.groups(); ++group) {
        const std::uint64_t held = p.held[p.layout.held_at(group, row)] >> row % 8;
        const V* const places = p.values + p.layout.value_at(group * kGroup, row);
        for (int i = 0; i < kGroup; ++i) {
            if ((held >> 8 * i & 1) == 0) continue;
            p.csr.col_idxs[next] = static_cast<index_t>(row + p.offsets[group].of[i]);
            p.csr.values[next++] = places[i * DiaLayout::kRows];
        }
    }
}

}  // namespace tilespmv::cuda
