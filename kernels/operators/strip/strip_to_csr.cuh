#pragma once

#include "kernels/cuda/device_operator.hpp"
#include "kernels/operators/strip/strip_kernel.cuh"

namespace tilespmv::cuda {

/// Columns and values of CSR from strips, and from the rows that are none.
template <class V>
struct StripsToCsr {
    const offset_t* row_ptrs = nullptr;
    index_t rows = 0;
    DeviceStrips<V> strips;
    DeviceStrips<V> ranks;
    DeviceRest<V> rest;
    CsrToWrite<V> csr;
};

/// A lane has a row of a strip, whose nonzeros stand in its slots in their order: by rank in the first ones, else masks
/// tell in which.
template <bool kByRank, class V>
__device__ void read_run(const StripsToCsr<V>& p, const DeviceStrips<V>& s, std::int64_t run_at) {
    const StripRun run = load_wide(s.runs + run_at);
    const int lane = static_cast<int>(threadIdx.x) % kTileSize;
    for (unsigned i = threadIdx.x / kTileSize; i < run.strips; i += kStripThreads / kTileSize) {
        const std::int64_t row0 = std::int64_t{s.tile_rows[run.first_strip + i]} * kTileSize;
        if (row0 + lane >= p.rows) continue;
        const V* const strip = s.values + (std::int64_t{run.first_slot} + std::int64_t{i} * run.slots) * kTileSize;
        const offset_t end = p.row_ptrs[row0 + lane + 1];
        offset_t next = p.row_ptrs[row0 + lane];
        for (int slot = 0; next < end; ++slot) {
            const std::int64_t quad = std::int64_t{run.quad_of(i)} + slot / kQuad;
            const int k = slot % kQuad;
            std::int64_t column = 0;
            if constexpr (kByRank) {
                column = s.bases[run.first_strip + i] + s.codes[(quad * kTileSize + lane) * kQuad + k];
            } else {
                if ((s.masks[quad * kRowPairs + lane / 2] >> (lane % 2 * 4 + k) & 1) == 0) continue;
                column = row0 + s.bases[quad * kQuad + k] + (s.codes[quad * kTileSize + lane] >> (4 * k) & 15);
            }
            p.csr.col_idxs[next] = static_cast<index_t>(column);
            p.csr.values[next++] = strip[strip_place(slot, lane, run.slots, kQuadLoad<sizeof(V)>)];
        }
    }
}

/// A thread block a run of strips, or a tile row of the rest, whose nonzeros stand together in CSR.
template <class V>
__global__ void __launch_bounds__(kStripThreads) read_strips(const __grid_constant__ StripsToCsr<V> p) {
    std::int64_t at = blockIdx.x;
    if (at < p.strips.run_count) return read_run<false>(p, p.strips, at);
    at -= p.strips.run_count;
    if (at < p.ranks.run_count) return read_run<true>(p, p.ranks, at);
    at -= p.ranks.run_count;
    const std::int64_t row0 = p.rest.first_row(at);
    const offset_t end = p.row_ptrs[min(row0 + kTileSize, std::int64_t{p.rows})];
    const offset_t shift = p.rest.before[at].nonzeros - p.row_ptrs[row0];
    for (offset_t i = p.row_ptrs[row0] + threadIdx.x; i < end; i += kStripThreads) {
        p.csr.col_idxs[i] = p.rest.cols[i + shift];
        p.csr.values[i] = p.rest.values[i + shift];
    }
}

}  // namespace tilespmv::cuda
