#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "kernels/cuda/device_buffer.hpp"
#include "kernels/operators/sell/sell.hpp"

namespace tilespmv::cuda {

/// A `SellPlan` whose long arrays are in device memory, where they were made.
struct DeviceSellPlan {
    DeviceBuffer<SellSlice> slices;
    DeviceBuffer<std::uint32_t> rows;
    std::vector<SplitRow> splits;
    std::vector<std::uint32_t> split_of;
    DeviceBuffer<std::uint32_t> empty;
    std::uint64_t steps = 0;
    std::size_t bytes_to_host = 0;  ///< that were copied: rows of each kind, and those that are cut
};

/// Made of row pointers in device memory that are right. Waits for the stream once for the number of rows of each kind,
/// and, where rows are cut, for these. Throws as `cut_long_rows`.
DeviceSellPlan make_sell_plan_there(const DeviceBuffer<offset_t>& row_ptrs, const SliceLimits& limits,
                                    const DeviceContext& on);

}  // namespace tilespmv::cuda
