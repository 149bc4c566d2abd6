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

/// `Strips`, or `RankStrips`, in device memory, without their values.
struct StripArrays {
    DeviceBuffer<StripRun> runs;
    DeviceBuffer<std::uint32_t> tile_rows;
    DeviceBuffer<std::int32_t> bases;
    DeviceBuffer<std::uint16_t> codes;
    DeviceBuffer<std::uint8_t> masks;  ///< of `Strips`
    std::int64_t slots = 0;
    offset_t nonzeros = 0;
    offset_t occupied = 0;  ///< strips that have nonzeros

    [[nodiscard]] std::size_t bytes() const {
        return runs.bytes() + tile_rows.bytes() + bases.bytes() + codes.bytes() + masks.bytes();
    }
};

struct FoundStrips {
    StripArrays strips;
    DeviceBuffer<std::uint32_t> rest;  ///< tile rows that became none, ascending
    std::size_t bytes_to_host = 0;     ///< that were copied to find them
};

/// What `make_strips` makes of the same matrix, found on the GPU. Waits for the stream once. Throws the same `Error`.
FoundStrips find_strips(const DeviceRows& a, const StripLimits& limits, const DeviceContext& on);

/// What `make_rank_strips` makes of these tile rows, which ascend.
FoundStrips find_rank_strips(const DeviceRows& a, const DeviceBuffer<std::uint32_t>& tile_rows,
                             const StripLimits& limits, const DeviceContext& on);

}  // namespace tilespmv::cuda
