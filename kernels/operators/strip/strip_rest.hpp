#pragma once

#include <cstddef>
#include <cstdint>

#include "kernels/operators/strip/find_strips.hpp"

namespace tilespmv::cuda {

/// The tile rows that are no strips as CSR, without their values; in device memory.
struct RestArrays {
    DeviceBuffer<std::uint32_t> tile_rows;  ///< ascending
    DeviceBuffer<RestBefore> before;        ///< each of these
    DeviceBuffer<index_t> cols;             ///< of the nonzeros of all, one tile row after the other
    RestBefore all;

    [[nodiscard]] std::size_t bytes() const { return tile_rows.bytes() + before.bytes() + cols.bytes(); }
};

/// Those that were `found` last, of which there are `all`, with a copy of their columns.
RestArrays make_rest(const DeviceRows& a, FoundStrips found, const RestBefore& all, const DeviceContext& on);

}  // namespace tilespmv::cuda
