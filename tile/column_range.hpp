#pragma once

#include <algorithm>
#include <span>
#include <utility>

#include "tile/types.hpp"

namespace tilespmv {

/// The lowest and the highest of some columns, of which there is at least one; without branches, unlike
/// `std::minmax_element`, since none could be predicted.
inline std::pair<index_t, index_t> column_range(std::span<const index_t> columns) {
    index_t lowest = columns.front();
    index_t highest = lowest;
    for (const index_t column : columns) {
        lowest = std::min(lowest, column);
        highest = std::max(highest, column);
    }
    return {lowest, highest};
}

}  // namespace tilespmv
