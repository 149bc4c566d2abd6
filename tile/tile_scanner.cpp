#include "tile/tile_scanner.hpp"

#include <fmt/format.h>

#include "tile/error.hpp"

namespace tilespmv {

// The last column of a row bounds the others, once they are known to ascend.
void TileScanner::start_row(int r, offset_t begin, offset_t end) {
    cursor_[r] = first_[r] = begin;
    end_[r] = end;
    if (begin == end) return;
    if (col_idxs_[begin] < 0 || static_cast<std::uint32_t>(col_idxs_[end - 1]) >= static_cast<std::uint32_t>(cols_))
        fail(r);
    next_tile_[r] = static_cast<std::uint32_t>(col_idxs_[begin]) / kTileSize;
}

bool TileScanner::next() {
    std::uint32_t tile = kNone;
    for (const std::uint32_t t : next_tile_) tile = std::min(tile, t);
    if (tile == kNone) return false;
    tile_ = tile;
    const std::int64_t left = cols_ - static_cast<std::int64_t>(tile) * kTileSize;
    pattern_.cols = static_cast<int>(std::min<std::int64_t>(kTileSize, left));
    pattern_.row_masks.fill(0);
    for (int r = 0; r < kTileSize; ++r) {
        if (next_tile_[r] == tile) take_row(r);
    }
    pattern_.count();
    return true;
}

// Collects the row's nonzeros in this tile. A mask that does not grow or a tile column that shrinks is a column out of
// order; negative columns turn into tile columns beyond every matrix and end up at the same check.
void TileScanner::take_row(int r) {
    const index_t* col = col_idxs_;
    offset_t p = cursor_[r];
    const offset_t end = end_[r];
    first_[r] = p;
    std::uint32_t mask = 0;
    std::uint32_t next = kNone;
    do {
        const auto c = static_cast<std::uint32_t>(col[p]);
        next = c / kTileSize;
        if (next != tile_) break;
        const std::uint32_t bit = 1u << (c % kTileSize);
        if (bit <= mask) fail(r);
        mask |= bit;
        next = kNone;
    } while (++p < end);
    if (next < tile_) fail(r);
    pattern_.row_masks[r] = static_cast<std::uint16_t>(mask);
    cursor_[r] = p;
    next_tile_[r] = next;
}

void TileScanner::fail(int r) const {
    throw Error(fmt::format("CSR: row {} needs ascending columns between 0 and {}", row0_ + r, cols_ - 1));
}

}  // namespace tilespmv
