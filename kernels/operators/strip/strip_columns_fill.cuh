#pragma once

#include "kernels/operators/strip/strip_columns.cuh"
#include "kernels/operators/strip/strip_lanes.cuh"

namespace tilespmv::cuda {

/// The columns of runs of strips, to be written.
struct ColumnsToFill {
    DeviceRows a;
    const StripRun* runs = nullptr;
    const std::uint32_t* tile_rows = nullptr;
    std::int32_t* bases = nullptr;
    std::uint16_t* codes = nullptr;
    std::uint8_t* masks = nullptr;

    /// Calls f(i, row0, row) for the first `count` strips of a run, half a warp for each, all lanes of a warp together:
    /// for some i behind them, too, without rows.
    template <class F>
    __device__ void for_each_strip(const StripRun& run, int count, F&& f) const {
        constexpr int kAtOnce = kStripThreads / kTileSize;
        for (int first = 0; first < count; first += kAtOnce) {
            const int i = first + static_cast<int>(threadIdx.x) / kTileSize;
            const std::int64_t tile_row =
                i < count ? tile_rows[run.first_strip + static_cast<std::uint32_t>(i)] : std::int64_t{1} << 32;
            f(static_cast<std::uint32_t>(i), static_cast<std::int32_t>(tile_row * kTileSize), LaneRow(a, tile_row));
        }
    }
};

/// A block of threads for each run of strips that are filled by windows.
__global__ void __launch_bounds__(kStripThreads) fill_window_columns(const __grid_constant__ ColumnsToFill p) {
    const StripRun run = p.runs[blockIdx.x];
    if (blockIdx.x > 0 && repeats_pattern(p.runs[blockIdx.x - 1], run)) return;
    const int count = run.shared != 0 ? 1 : run.strips;
    p.for_each_strip(run, count, [&](std::uint32_t i, std::int32_t row0, const LaneRow& row) {
        unsigned codes = 0;
        unsigned mask = 0;
        for_each_slot(p.a, row, run.slots, [&](const LaneSlot& slot) {
            const int k = slot.k % kQuad;
            if (slot.is_taken) {
                codes |= slot.code << (4 * k);
                mask |= 1U << k;
            }
            const unsigned of_next_row = __shfl_down_sync(kAllLanes, mask, 1);
            if (!slot.is_there) return;
            const std::size_t quad = run.quad_of(i) + static_cast<std::size_t>(slot.k / kQuad);
            const auto row_at = static_cast<std::size_t>(row.lane);
            if (row.lane == 0) p.bases[quad * kQuad + k] = static_cast<std::int32_t>(slot.base) - row0;
            if (k < kQuad - 1 && slot.k < run.slots - 1) return;
            p.codes[quad * kTileSize + row_at] = static_cast<std::uint16_t>(codes);
            if (row_at % 2 == 0)
                p.masks[quad * kRowPairs + row_at / 2] = static_cast<std::uint8_t>(mask | of_next_row << 4);
            codes = 0;
            mask = 0;
        });
        const auto behind = run.quads() * kQuad - run.slots;
        if (static_cast<int>(i) < count && static_cast<unsigned>(row.lane) < behind)
            p.bases[std::size_t{run.quad_of(i)} * kQuad + run.slots + static_cast<unsigned>(row.lane)] = 0;
    });
}

/// The same of strips that are filled by rank.
__global__ void __launch_bounds__(kStripThreads) fill_rank_columns(const __grid_constant__ ColumnsToFill p) {
    const StripRun run = p.runs[blockIdx.x];
    p.for_each_strip(run, run.strips, [&](std::uint32_t i, std::int32_t, const LaneRow& row) {
        const StripSpan span(p.a, row);
        if (i >= run.strips) return;
        const index_t base = run.slots > 0 ? span.least : 0;
        if (row.lane == 0) p.bases[run.first_strip + i] = base;
        auto* const codes = reinterpret_cast<QuadCodes*>(p.codes) + std::size_t{run.quad_of(i)} * kTileSize + row.lane;
        for (std::uint32_t q = 0; q < run.quads(); ++q) {
            QuadCodes quad;
#pragma unroll
            for (int k = 0; k < kQuad; ++k) {
                const offset_t at = row.first + q * kQuad + k;
                quad.of[k] = at < row.end ? static_cast<std::uint16_t>(p.a.col_idxs[at] - base) : kRankHole;
            }
            codes[q * kTileSize] = quad;
        }
    });
}

}  // namespace tilespmv::cuda
