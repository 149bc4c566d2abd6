#pragma once

#include <array>
#include <cstdint>
#include <span>

#include "tile/types.hpp"

/// The slots of a tile row, in vectors with a lane a row.
namespace tilespmv {

/// The nonzeros of a tile row: positions in `columns` from which on those of each row stand, in order.
struct StripRows {
    using Positions = std::array<std::int32_t, kTileSize>;

    std::span<const index_t> columns;  ///< fewer than 2^31
    Positions begin{};
    Positions end{};
    index_t first_row = 0;
};

struct StripSlots {
    offset_t taken = 0;  ///< nonzeros
    offset_t slots = 0;
    offset_t tiles = 0;         ///< that these nonzeros lie in
    std::uint64_t pattern = 0;  ///< a hash of the rows and columns that slots take, relative to the first row
};

/// Takes up to so many slots (see `MatrixFeatures::strip_slots`) of each of two tile rows.
std::array<StripSlots, 2> count_slots(const std::array<StripRows, 2>& rows, offset_t most_slots);

}  // namespace tilespmv
