#pragma once

#include <cstdint>
#include <vector>

#include "tile/csr.hpp"
#include "tools/view/tile_list.hpp"

namespace tilespmv::tools {

/// How the operator `strip` fills the slots of a tile row.
enum class StripFill : std::uint8_t { windows, none };  // none: it has columns of 16 bits

/// Consecutive tile rows that it makes the same of.
struct StripRows {
    std::uint64_t tile_rows = 0;
    StripFill fill = StripFill::none;
    std::uint32_t slots = 0;  ///< of each
};

/// What the operator `strip` makes of all tile rows, as on an H200.
template <Value V>
std::vector<StripRows> strip_rows(const CsrMatrix<V>& a);

/// What the operator `tile` makes of a tile: the k-th nonzero of each row is in slot k, or row k in slot k; what no
/// slot has are entries.
struct TileSlots {
    int slots = 0;
    bool are_rows = false;
};
TileSlots slots_of(const TileShape& shape, int value_bytes);

}  // namespace tilespmv::tools
