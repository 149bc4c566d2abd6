#pragma once

#include <vector>

#include "kernels/cuda/device_buffer.hpp"
#include "kernels/source.hpp"

namespace tilespmv::cuda {

/// How many diagonals of a matrix in device memory have nonzeros. Its arrays are right; waits for the stream.
offset_t count_diagonals(const DevicePattern& a, const DeviceContext& on);

/// Columns minus rows of these diagonals, ascending.
std::vector<index_t> diagonals_of(const DevicePattern& a, const DeviceContext& on);

}  // namespace tilespmv::cuda
