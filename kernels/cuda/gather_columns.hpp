#pragma once

#include "kernels/cuda/device_buffer.hpp"
#include "selector/column_ranges.hpp"
#include "tile/csr.hpp"

namespace tilespmv::cuda {

/// Ranges of columns in device memory, copied to the host one behind the other. Waits for the stream.
Buffer<index_t> gather_columns(const ColumnRanges& there, const DeviceContext& on);

/// Where `gathered` has each of these ranges.
ColumnRanges ranges_in(const Buffer<index_t>& gathered, const ColumnRanges& there);

}  // namespace tilespmv::cuda
