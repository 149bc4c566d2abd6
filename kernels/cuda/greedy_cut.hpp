#pragma once

#include "kernels/cuda/device_buffer.hpp"
#include "tile/types.hpp"

namespace tilespmv::cuda {

/// Most rows of a piece that `greedy_starts` cuts.
inline constexpr int kMostCutRows = 1024;

/// Rows are cut into pieces, one after the other: one that begins with row r ends before row ends[r], which is above r
/// and at most `kMostCutRows` rows later, and the first begins with row 0. The first rows of all pieces, ascending.
/// Waits for the stream.
///
/// Where a piece begins depends on all before it. So each row of a chunk is followed to the first row behind the chunk,
/// in steps that double; few rows of a range of chunks can be the first of a piece in it, and these are followed from
/// chunk to chunk; then one thread goes from range to range, one for each range from chunk to chunk, and one for each
/// chunk from piece to piece.
DeviceBuffer<index_t> greedy_starts(const DeviceBuffer<index_t>& ends, const DeviceContext& on);

}  // namespace tilespmv::cuda
