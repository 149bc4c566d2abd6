#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "tile/tile_pattern.hpp"

namespace tilespmv::detail {

/// Walks over the flags that are set, in ascending order, and clears them. Eight are taken at once and kept: reading a
/// word from which a byte was just cleared would wait until that byte has reached the cache.
class FlagCursor {
public:
    /// The first flag left of [begin, end) where `restart` was told them, or -1.
    int front(std::uint8_t* flags) {
        while (left_ == 0) {
            if (next_ >= end_) return -1;
            std::memcpy(&left_, flags + next_, sizeof left_);
            std::memset(flags + next_, 0, sizeof left_);
            next_ += 8;
        }
        return next_ - 8 + std::countr_zero(left_) / 8;
    }
    void pop_front() { left_ &= left_ - 1; }
    /// Both multiples of 8; nothing may be left of the flags before.
    void restart(int begin, int end) {
        next_ = begin;
        end_ = end;
    }

private:
    std::uint64_t left_ = 0;  // the flags from next_ - 8 on, the first in the lowest byte
    int next_ = 0;
    int end_ = 0;
};

/// A stretch of a tile row of 65,536 columns, as the row masks of its tiles: the way to read rows of which several have
/// nonzeros in the same tiles. Flags say which tiles, and which groups of tiles, hold anything: plain stores, where
/// counting or setting bits would make every nonzero wait for the one before. All zero when not in use.
class MaskWindow {
public:
    /// Begins to walk over what the rows were read into.
    void restart() { group_.restart(0, kGroups); }

    /// Row r is not read, it looks like another one, until all rows are to be read again.
    void repeat_row(int r, int like) {
        like_.set(r, like);
        repeats_ = true;
    }
    void read_all_rows() {
        if (repeats_) like_.reset();
        repeats_ = false;
    }
    [[nodiscard]] bool repeats() const { return repeats_; }

    /// Takes the next tile out: its masks, counted, and its number in the window. False if there is none, with which
    /// the window is as it was before the rows were read.
    bool take(TilePattern& pattern, std::uint32_t& tile) {
        const int t = front();
        if (t < 0) return false;
        if (repeats_) {
            pattern.assign(masks_[t], like_);
        } else {
            pattern.row_masks = masks_[t];
            pattern.count();
        }
        masks_[t].fill(0);
        tile_.pop_front();
        tile = static_cast<std::uint32_t>(t);
        return true;
    }

    /// Reads row r from `col` on, as far as it lies in the window that starts at `window_col`. `last` is the last
    /// column read; `ascending` keeps its top bit as long as every column is larger than the one before. Returns where
    /// it stopped. This is the innermost loop of every conversion. What it uses stands in locals: stores to the flags,
    /// being bytes, might change any member as far as the compiler knows.
    const index_t* read_row(int r, const index_t* col, const index_t* end, std::uint32_t window_col,
                            std::uint32_t& last, std::uint32_t& ascending) {
        const bool all = static_cast<std::uint32_t>(end[-1]) - window_col < kCols;
        return all ? read_columns<true>(r, col, end, window_col, last, ascending)
                   : read_columns<false>(r, col, end, window_col, last, ascending);
    }

private:
    static constexpr int kGroupTiles = 64;
    static constexpr int kGroups = 64;
    static constexpr int kTiles = kGroups * kGroupTiles;
    static constexpr std::uint32_t kCols = kTiles * kTileSize;

    /// The first tile left, or -1.
    int front() {
        for (;;) {
            const int t = tile_.front(tiles_.data());
            if (t >= 0) return t;
            const int g = group_.front(groups_.data());
            if (g < 0) return -1;
            group_.pop_front();
            tile_.restart(g * kGroupTiles, (g + 1) * kGroupTiles);
        }
    }

    template <bool kAll>
    const index_t* read_columns(int r, const index_t* col, const index_t* end, std::uint32_t window_col,
                                std::uint32_t& last, std::uint32_t& ascending) {
        std::uint16_t* const row = &masks_[0][r];
        std::uint32_t previous = last;
        std::uint32_t order = ascending;
        for (; col < end; ++col) {
            const auto c = static_cast<std::uint32_t>(*col);
            const std::uint32_t w = c - window_col;
            if (!kAll && w >= kCols) break;
            order &= previous - c;
            previous = c;
            const std::size_t tile_col = w & (kCols - kTileSize);  // inside, even if the columns do not ascend
            row[tile_col] = static_cast<std::uint16_t>(row[tile_col] | 1u << w % kTileSize);
            tiles_[tile_col / kTileSize] = 1;
            groups_[tile_col / (kTileSize * kGroupTiles)] = 1;
        }
        last = previous;
        ascending = order;
        return col;
    }

    std::array<std::array<std::uint16_t, kTileSize>, kTiles> masks_{};
    std::array<std::uint8_t, kTiles> tiles_{};
    std::array<std::uint8_t, kGroups> groups_{};
    RowLikeness like_;
    bool repeats_ = false;
    FlagCursor group_;
    FlagCursor tile_;  // in the group before `group_`
};

}  // namespace tilespmv::detail
