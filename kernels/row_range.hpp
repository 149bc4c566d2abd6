#pragma once

#include "tile/types.hpp"

namespace tilespmv {

/// Rows [first, end) of a matrix.
struct RowRange {
    index_t first = 0;
    index_t end = 0;

    friend bool operator==(const RowRange&, const RowRange&) = default;
};

}  // namespace tilespmv
