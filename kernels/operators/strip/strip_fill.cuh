#pragma once

#include "kernels/cuda/load.cuh"
#include "kernels/operators/strip/strip_kernel.cuh"

namespace tilespmv::cuda {

/// Values for strips, and for the rows that are none, from those of the CSR form.
template <class V>
struct StripFill {
    const V* csr_values = nullptr;
    const offset_t* row_ptrs = nullptr;
    index_t rows = 0;
    DeviceStrips<V> strips;
    V* values = nullptr;  ///< of the strips
    DeviceStrips<V> ranks;
    V* rank_values = nullptr;
    DeviceRest<V> rest;
};

/// All slots of a run, a lane a row, several at a time: its masks tell which of its nonzeros is in which slot.
template <class V>
__device__ void fill_run(const StripFill<V>& p, std::int64_t run_at) {
    constexpr int kSlots = 4 * kQuad;
    const StripRun run = load_wide(p.strips.runs + run_at);
    const int row = static_cast<int>(threadIdx.x) % kTileSize;
    for (int at = static_cast<int>(threadIdx.x) / kTileSize; at < run.strips; at += kStripThreads / kTileSize) {
        const auto i = static_cast<std::uint32_t>(at);
        const std::int64_t row0 = std::int64_t{p.strips.tile_rows[run.first_strip + i]} * kTileSize;
        const V* next = p.csr_values + p.row_ptrs[min(row0 + row, std::int64_t{p.rows})];
        V* const strip = p.values + (std::int64_t{run.first_slot} + std::int64_t{at} * run.slots) * kTileSize;
        const std::uint8_t* const masks = p.strips.masks + std::int64_t{run.quad_of(i)} * kRowPairs + row / 2;
        for (int first = 0; first < run.slots; first += kSlots) {
            unsigned mask = 0;
#pragma unroll
            for (int q = 0; q < kSlots / kQuad; ++q) {
                if (first + q * kQuad >= run.slots) continue;
                mask |= (masks[(first / kQuad + q) * kRowPairs] >> (row % 2 * 4) & 15U) << (q * kQuad);
            }
            V values[kSlots];
#pragma unroll
            for (int k = 0; k < kSlots; ++k) {
                values[k] = V(0);
                if ((mask >> k & 1) != 0) values[k] = load_often(next + __popc(mask & ((1U << k) - 1)));
            }
            next += __popc(mask);
#pragma unroll
            for (int k = 0; k < kSlots; ++k) {
                const int slot = first + k;
                if (slot < run.slots) strip[strip_place(slot, row, run.slots, kQuadLoad<sizeof(V)>)] = values[k];
            }
        }
    }
}

/// The same of a run filled by rank: the k-th nonzero of a row is in slot k.
template <class V>
__device__ void fill_rank_run(const StripFill<V>& p, std::int64_t run_at) {
    constexpr int kSlots = 8;
    const StripRun run = load_wide(p.ranks.runs + run_at);
    const int row = static_cast<int>(threadIdx.x) % kTileSize;
    for (int at = static_cast<int>(threadIdx.x) / kTileSize; at < run.strips; at += kStripThreads / kTileSize) {
        const std::int64_t row0 =
            std::int64_t{p.ranks.tile_rows[run.first_strip + static_cast<std::uint32_t>(at)]} * kTileSize;
        const std::int64_t there = min(row0 + row, std::int64_t{p.rows});
        const offset_t first = p.row_ptrs[there];
        const offset_t count = there < p.rows ? p.row_ptrs[there + 1] - first : 0;
        V* const strip = p.rank_values + (std::int64_t{run.first_slot} + std::int64_t{at} * run.slots) * kTileSize;
        for (int slot = 0; slot < run.slots; slot += kSlots) {
            V values[kSlots];
#pragma unroll
            for (int k = 0; k < kSlots; ++k) {
                values[k] = V(0);
                if (slot + k < count) values[k] = load_often(p.csr_values + first + slot + k);
            }
#pragma unroll
            for (int k = 0; k < kSlots; ++k) {
                if (slot + k < run.slots)
                    strip[strip_place(slot + k, row, run.slots, kQuadLoad<sizeof(V)>)] = values[k];
            }
        }
    }
}

/// A thread block a run of strips, or a tile row of the rest, whose nonzeros stand together in CSR.
template <class V>
__global__ void __launch_bounds__(kStripThreads) fill_strips(const __grid_constant__ StripFill<V> p) {
    std::int64_t at = blockIdx.x;
    if (at < p.strips.run_count) return fill_run(p, at);
    at -= p.strips.run_count;
    if (at < p.ranks.run_count) return fill_rank_run(p, at);
    at -= p.ranks.run_count;
    copy_rest(p.rest, p.csr_values, at);
}

}  // namespace tilespmv::cuda
