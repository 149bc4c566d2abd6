#pragma once

#include <array>
#include <string_view>

#include "formats/convert.hpp"

/// Small tiled matrices with something in every array.
namespace tilespmv::test {

inline constexpr std::array<std::string_view, 7> kSampleFormats{"dense", "coo",       "csr",      "ell",
                                                                "hyb",   "dense_row", "dense_col"};

/// 70 x 75 with tiles in all of these formats, edge tiles among them, and a deferred part that lists some rows.
template <Value V>
TileMatrix<V> sample_tiles();

/// 20 x 394 with a deferred part over all rows, with 32-bit or 64-bit pointers.
template <Value V>
TileMatrix<V> sample_with_all_rows_deferred(bool wide_offsets);

}  // namespace tilespmv::test
