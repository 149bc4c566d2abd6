#include "tile/tile_scanner.hpp"

#include <limits>
#include <vector>

#include <fmt/format.h>

#include "tile/error.hpp"

namespace tilespmv {
namespace {

constexpr int kGroupTiles = 64;
constexpr int kGroups = 64;
constexpr int kWindowTiles = kGroups * kGroupTiles;
constexpr std::uint32_t kWindowCols = kWindowTiles * kTileSize;

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

}  // namespace

/// Row masks of the tiles between two columns. Flags say which tiles, and which groups of tiles, hold anything: plain
/// stores, where counting or setting bits would make every nonzero wait for the one before. All zero when not in use.
struct TileScanner::Window {
    std::array<std::array<std::uint16_t, kTileSize>, kWindowTiles> masks{};
    std::array<std::uint8_t, kWindowTiles> tiles{};
    std::array<std::uint8_t, kGroups> groups{};
    FlagCursor group;
    FlagCursor tile;  // in the group before `group`

    /// Begins to walk over what the rows were read into.
    void restart() { group.restart(0, kGroups); }
    /// The first tile left, or -1, with which the window is as it was before it was filled.
    int front() {
        for (;;) {
            const int t = tile.front(tiles.data());
            if (t >= 0) return t;
            const int g = group.front(groups.data());
            if (g < 0) return -1;
            group.pop_front();
            tile.restart(g * kGroupTiles, (g + 1) * kGroupTiles);
        }
    }
    /// Clears the tile that `front` returned.
    void pop_front(int t) {
        masks[t].fill(0);
        tile.pop_front();
    }

    /// Reads row r from `col` on, as far as it lies in the window that starts at `window_col`. `last` is the last
    /// column read; `ascending` keeps its top bit as long as every column is larger than the one before. Returns where
    /// it stopped. This is the innermost loop of every conversion. What it uses stands in locals: stores to the flags,
    /// being bytes, might change any member as far as the compiler knows.
    const index_t* read_row(int r, const index_t* col, const index_t* end, std::uint32_t window_col,
                            std::uint32_t& last, std::uint32_t& ascending) {
        const bool all = static_cast<std::uint32_t>(end[-1]) - window_col < kWindowCols;
        return all ? read_columns<true>(r, col, end, window_col, last, ascending)
                   : read_columns<false>(r, col, end, window_col, last, ascending);
    }

private:
    template <bool kAll>
    const index_t* read_columns(int r, const index_t* col, const index_t* end, std::uint32_t window_col,
                                std::uint32_t& last, std::uint32_t& ascending) {
        std::uint16_t* const row = &masks[0][r];
        std::uint32_t previous = last;
        std::uint32_t order = ascending;
        for (; col < end; ++col) {
            const auto c = static_cast<std::uint32_t>(*col);
            const std::uint32_t w = c - window_col;
            if (!kAll && w >= kWindowCols) break;
            order &= previous - c;
            previous = c;
            const std::size_t tile_col = w & (kWindowCols - kTileSize);  // inside, even if the columns do not ascend
            row[tile_col] = static_cast<std::uint16_t>(row[tile_col] | 1u << w % kTileSize);
            tiles[tile_col / kTileSize] = 1;
            groups[tile_col / (kTileSize * kGroupTiles)] = 1;
        }
        last = previous;
        ascending = order;
        return col;
    }
};

/// Windows that scanners of this thread gave back.
class TileScanner::WindowPool {
public:
    static std::unique_ptr<Window> take() {
        auto& free = list();
        if (free.empty()) return std::make_unique<Window>();
        auto window = std::move(free.back());
        free.pop_back();
        return window;
    }
    static void give(std::unique_ptr<Window> window) {
        for (int tile = window->front(); tile >= 0; tile = window->front()) window->pop_front(tile);
        list().push_back(std::move(window));
    }

private:
    static std::vector<std::unique_ptr<Window>>& list() {
        thread_local std::vector<std::unique_ptr<Window>> windows;
        return windows;
    }
};

TileScanner::TileScanner(index_t rows, index_t cols, offset_t nnz, const offset_t* row_ptrs, const index_t* col_idxs,
                         index_t tile_row)
    : cols_(cols), row0_(std::int64_t{tile_row} * kTileSize), col_idxs_(col_idxs), window_(WindowPool::take()) {
    pattern_.rows = static_cast<int>(std::min<std::int64_t>(kTileSize, rows - row0_));
    passed_.fill(0);
    last_col_.fill(~0u);
    for (int r = 0; r < kTileSize; ++r) {
        const std::int64_t row = std::min<std::int64_t>(row0_ + r, rows);  // those behind the last are empty
        begin_[r] = read_[r] = row_ptrs[row];
        end_[r] = row_ptrs[std::min<std::int64_t>(row + 1, rows)];
        // Columns that ascend to the last one are inside if that is.
        if (read_[r] < end_[r] && static_cast<std::uint32_t>(col_idxs[end_[r] - 1]) >= static_cast<std::uint32_t>(cols))
            fail(r);
    }
    may_overrun_ = row_ptrs[row0_ + pattern_.rows] + kGatherStep <= nnz;
}

TileScanner::~TileScanner() { WindowPool::give(std::move(window_)); }

bool TileScanner::next() {
    for (std::size_t r = 0; r < kTileSize; ++r) passed_[r] += pattern_.row_counts[r];
    int tile = window_->front();
    if (tile < 0) {
        if (!fill_window()) {
            pattern_.row_counts.fill(0);
            return false;
        }
        tile = window_->front();
    }
    take_tile(tile);
    return true;
}

void TileScanner::take_tile(int tile) {
    column_ = static_cast<index_t>(window_col_ / kTileSize) + tile;
    pattern_.cols = static_cast<int>(std::min<std::int64_t>(kTileSize, cols_ - std::int64_t{column_} * kTileSize));
    pattern_.row_masks = window_->masks[tile];
    pattern_.count();
    window_->pop_front(tile);
}

bool TileScanner::fill_window() {
    auto start = std::numeric_limits<std::uint32_t>::max();
    for (int r = 0; r < pattern_.rows; ++r) {
        if (read_[r] < end_[r]) start = std::min(start, static_cast<std::uint32_t>(col_idxs_[read_[r]]));
    }
    if (start == std::numeric_limits<std::uint32_t>::max()) return false;
    window_col_ = start / kTileSize * kTileSize;
    window_->restart();
    for (int r = 0; r < pattern_.rows; ++r) {
        if (read_[r] == end_[r]) continue;
        std::uint32_t ascending = ~0u;
        const index_t* col =
            window_->read_row(r, col_idxs_ + read_[r], col_idxs_ + end_[r], window_col_, last_col_[r], ascending);
        if (ascending >> 31 == 0) fail(r);
        read_[r] = col - col_idxs_;
    }
    return true;
}

void TileScanner::fail(int r) const {
    throw Error(fmt::format("CSR: row {} needs ascending columns between 0 and {}", row0_ + r, cols_ - 1));
}

}  // namespace tilespmv
