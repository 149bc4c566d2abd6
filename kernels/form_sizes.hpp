#pragma once

#include "kernels/operators/strip/strip_matrix.hpp"
#include "tile/error.hpp"
#include "tile/sizes.hpp"

namespace tilespmv {

/// How many tile rows there are, in strips and beside them.
std::int64_t tile_row_count(const Strips& strips);

/// As for other forms (tile/sizes.hpp).
template <Value V>
void validate_sizes(const StripMatrix<V>& m);

}  // namespace tilespmv
