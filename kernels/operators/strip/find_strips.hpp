#pragma once

#include <cstddef>
#include <cstdint>

#include "kernels/cuda/device_buffer.hpp"
#include "kernels/operators/strip/strip.hpp"

namespace tilespmv::cuda {

/// The pattern of a CSR matrix in device memory.
struct DeviceRows {
    index_t rows = 0;
    const offset_t* row_ptrs = nullptr;
    const index_t* col_idxs = nullptr;
};

/// Code of a place without a nonzero in strips filled by rank.
inline constexpr std::uint16_t kRankHole = 0xffff;

/// `Strips` in device memory, or strips filled by rank, without their values. By rank slot k has the k-th nonzero of
/// each of the 16 rows, so that only rows shorter than the longest leave holes, behind their last nonzero: for even
/// rows whose columns have little in common. Each strip has columns of its own.
struct StripArrays {
    DeviceBuffer<StripRun> runs;
    DeviceBuffer<std::uint32_t> tile_rows;
    DeviceBuffer<std::int32_t> bases;   ///< by rank the smallest column of each strip
    DeviceBuffer<std::uint16_t> codes;  ///< by rank kQuad * kTileSize a quad, those of a row side by side
    DeviceBuffer<std::uint8_t> masks;   ///< of `Strips`
    std::int64_t slots = 0;
    offset_t nonzeros = 0;
    offset_t occupied = 0;  ///< strips that have nonzeros

    [[nodiscard]] std::size_t bytes() const {
        return runs.bytes() + tile_rows.bytes() + bases.bytes() + codes.bytes() + masks.bytes();
    }
};

/// What lies before a tile row among those that are no strips.
struct RestBefore {
    offset_t nonzeros = 0;
    offset_t occupied = 0;  ///< tile rows that have nonzeros

    friend TILESPMV_HD RestBefore operator+(const RestBefore& a, const RestBefore& b) {
        return {a.nonzeros + b.nonzeros, a.occupied + b.occupied};
    }
};

struct FoundStrips {
    StripArrays strips;
    DeviceBuffer<std::uint32_t> rest;  ///< tile rows that became none, ascending
    DeviceBuffer<RestBefore> before;   ///< each of these, and all; empty if they are to be tried by rank
    std::size_t bytes_to_host = 0;     ///< that were copied to find them
};

/// What `make_strips` makes of the same matrix, found on the GPU. Waits for the stream once. Throws the same `Error`.
FoundStrips find_strips(const DeviceRows& a, const StripLimits& limits, const DeviceContext& on);

/// Of these tile rows, which ascend, 1,024 at a time those that take at most `limits.most_rank_bytes` times the bytes
/// of CSR with 16-bit columns as strips filled by rank; without tile rows whose columns span 65,535 or more, and those
/// of too many slots. Throws `Error` if there are 2^32 slots or more.
FoundStrips find_rank_strips(const DeviceRows& a, const DeviceBuffer<std::uint32_t>& tile_rows,
                             const StripLimits& limits, const DeviceContext& on);

}  // namespace tilespmv::cuda
