#include "tile/tile_scanner.hpp"

#include <limits>
#include <vector>

#include <fmt/format.h>

#include "tile/error.hpp"
#include "tile/mask_window.hpp"
#include "tile/sorted_window.hpp"

namespace tilespmv {

/// Both kinds of window, and which of them suits the matrix, judged by what the last one held.
struct TileScanner::Windows {
    detail::MaskWindow masks;
    detail::SortedWindow sorted;
    bool is_sorted = false;     ///< the window in use; the other one is empty
    bool is_scattered = false;  ///< the next one is to be sorted
    offset_t nonzeros = 0;      ///< of the window in use
    offset_t tiles = 0;         ///< taken out of it

    /// Takes the next tile out.
    bool take(TilePattern& pattern, std::uint32_t& tile) {
        const bool taken = is_sorted ? sorted.take(pattern, tile) : masks.take(pattern, tile);
        tiles += taken;
        return taken;
    }

    void start(bool sorts) {
        is_sorted = sorts;
        nonzeros = tiles = 0;
        if (sorts) {
            sorted.restart();
        } else {
            masks.restart();
        }
    }

    /// After the last tile was taken out. `is_last`: the tile row ends here.
    void judge(bool is_last) {
        constexpr offset_t some = 512;
        if (nonzeros == 0) return;
        const bool is_thin = 4 * nonzeros < (is_sorted ? 6 : 5) * tiles;  // below 1.25 a tile, to stay so below 1.5
        is_scattered = is_thin && !masks.repeats();                       // rows that were not read are not counted
        if (is_sorted && nonzeros < some && !is_last) sorted.widen();
        nonzeros = 0;
    }

    /// Leaves both empty.
    void clear() {
        TilePattern pattern;
        std::uint32_t tile = 0;
        if (is_sorted) sorted.restart();
        while (nonzeros > 0 && take(pattern, tile)) continue;
        nonzeros = 0;
        masks.read_all_rows();
    }
};

/// Windows that scanners of this thread gave back.
class TileScanner::WindowPool {
public:
    static std::unique_ptr<Windows> take() {
        auto& free = list();
        if (free.empty()) return std::make_unique<Windows>();
        auto windows = std::move(free.back());
        free.pop_back();
        return windows;
    }
    static void give(std::unique_ptr<Windows> windows) {
        windows->clear();
        list().push_back(std::move(windows));
    }

private:
    static std::vector<std::unique_ptr<Windows>>& list() {
        thread_local std::vector<std::unique_ptr<Windows>> windows;
        return windows;
    }
};

TileScanner::TileScanner(index_t rows, index_t cols, offset_t nnz, const offset_t* row_ptrs, const index_t* col_idxs,
                         index_t tile_row)
    : cols_(cols), row0_(std::int64_t{tile_row} * kTileSize), col_idxs_(col_idxs), windows_(WindowPool::take()) {
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
    const auto begins_like_next = [&](int r) {
        return begin_[r] < end_[r] && end_[r] < end_[r + 1] && col_idxs[begin_[r]] == col_idxs[end_[r]];
    };
    if (begins_like_next(0) || begins_like_next(1)) repeat_rows();
    may_overrun_ = row_ptrs[row0_ + pattern_.rows] + kGatherStep <= nnz;
}

/// Rows with the columns of one before, as matrices with several unknowns a node have them, need not be read.
void TileScanner::repeat_rows() {
    int like = 0;
    for (int r = 1; r < pattern_.rows; ++r) {
        if (std::equal(col_idxs_ + begin_[r], col_idxs_ + end_[r], col_idxs_ + begin_[like], col_idxs_ + end_[like])) {
            windows_->masks.repeat_row(r, like);
            read_[r] = end_[r];
        } else {
            like = r;
        }
    }
}

TileScanner::~TileScanner() { WindowPool::give(std::move(windows_)); }

bool TileScanner::next() {
    for (std::size_t r = 0; r < kTileSize; ++r) passed_[r] += pattern_.row_counts[r];
    std::uint32_t tile = 0;
    while (!windows_->take(pattern_, tile)) {
        if (!fill_window()) {
            pattern_.row_counts.fill(0);
            return false;
        }
    }
    column_ = static_cast<index_t>(window_col_ / kTileSize + tile);
    pattern_.cols = static_cast<int>(std::min<std::int64_t>(kTileSize, cols_ - std::int64_t{column_} * kTileSize));
    return true;
}

bool TileScanner::fill_window() {
    auto start = std::numeric_limits<std::uint32_t>::max();
    for (int r = 0; r < pattern_.rows; ++r) {
        if (read_[r] < end_[r]) start = std::min(start, static_cast<std::uint32_t>(col_idxs_[read_[r]]));
    }
    const bool at_end = start == std::numeric_limits<std::uint32_t>::max();
    windows_->judge(at_end);
    if (at_end) return false;
    window_col_ = start / kTileSize * kTileSize;
    constexpr offset_t worth_sorting = 128;  // nonzeros of the tile row
    if (windows_->is_scattered && !windows_->masks.repeats() && end_.back() - begin_.front() >= worth_sorting) {
        windows_->start(true);
        if (read_rows(windows_->sorted)) {
            windows_->sorted.sort();
            return true;
        }
        windows_->sorted.narrow();
    }
    windows_->start(false);
    return read_rows(windows_->masks);
}

template <class Window>
bool TileScanner::read_rows(Window& window) {
    auto read = read_;
    auto last_col = last_col_;
    for (int r = 0; r < pattern_.rows; ++r) {
        if (read[r] == end_[r]) continue;
        std::uint32_t ascending = ~0u;
        const index_t* const begin = col_idxs_ + read[r];
        const index_t* const end = window.read_row(r, begin, col_idxs_ + end_[r], window_col_, last_col[r], ascending);
        if (end == nullptr) return false;
        windows_->nonzeros += end - begin;
        if (ascending >> 31 == 0) fail(r);
        read[r] = end - col_idxs_;
    }
    read_ = read;
    last_col_ = last_col;
    return true;
}

void TileScanner::fail(int r) const {
    throw Error(fmt::format("CSR: row {} needs ascending columns between 0 and {}", row0_ + r, cols_ - 1));
}

}  // namespace tilespmv
