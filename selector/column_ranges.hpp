#pragma once

#include <span>
#include <vector>

#include "tile/types.hpp"

namespace tilespmv {

/// Parts of the columns of a matrix.
using ColumnRanges = std::vector<std::span<const index_t>>;

}  // namespace tilespmv
