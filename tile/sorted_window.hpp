#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>

#include "tile/tile_pattern.hpp"

namespace tilespmv::detail {

/// A stretch of a tile row as its nonzeros sorted by tiles: the way to read rows so scattered that few tiles hold more
/// than one of them. A window of masks would have room for some of them only and leave the rows to be taken up again
/// and again; this one is as wide as is needed to hold some hundreds, up to 2^24 columns.
class SortedWindow {
public:
    SortedWindow() = default;
    SortedWindow(const SortedWindow&) = delete;
    SortedWindow& operator=(const SortedWindow&) = delete;
    ~SortedWindow() = default;

    /// Forgets what was read.
    void restart() { size_ = next_ = 0; }

    /// Reads row r, rows in ascending order, from `col` on as far as it lies in the window that starts at `window_col`,
    /// with `last` and `ascending` as for `MaskWindow`. Returns where it stopped, or null if there is no room left.
    const index_t* read_row(int r, const index_t* col, const index_t* end, std::uint32_t window_col,
                            std::uint32_t& last, std::uint32_t& ascending) {
        const auto room = static_cast<std::ptrdiff_t>(kRoom - size_);
        const index_t* const stop = end - col > room ? col + room : end;
        const std::uint32_t width = std::uint32_t{1} << width_log2_;
        const auto row_bits = static_cast<std::uint32_t>(r) << kColBits;
        std::uint32_t* key = keys_ + size_;
        std::uint32_t previous = last;
        std::uint32_t order = ascending;
        for (; col < stop; ++col) {
            const auto c = static_cast<std::uint32_t>(*col);
            const std::uint32_t w = c - window_col;
            if (w >= width) break;
            order &= previous - c;
            previous = c;
            *key++ = (w / kTileSize << kPlaceBits) | row_bits | w % kTileSize;
        }
        last = previous;
        ascending = order;
        size_ = static_cast<std::size_t>(key - keys_);
        return col == stop && stop < end ? nullptr : col;
    }

    /// To be called when all rows were read.
    void sort();

    /// Takes the next tile out, as `MaskWindow` does.
    bool take(TilePattern& pattern, std::uint32_t& tile) {
        if (next_ == size_) return false;
        tile = keys_[next_] >> kPlaceBits;
        pattern.row_masks.fill(0);
        // Counted on the way, in registers: `TilePattern::count` would wait for the masks, which are stored one by one.
        std::uint64_t first_rows = 0;
        std::uint64_t last_rows = 0;
        std::uint32_t row = kTileSize;
        int in_row = 0;
        int longest = 0;
        const std::size_t first = next_;
        do {
            const std::uint32_t key = keys_[next_++];
            const std::uint32_t r = key >> kColBits & (kTileSize - 1);
            auto& mask = pattern.row_masks[r];
            mask = static_cast<std::uint16_t>(mask | 1u << key % kTileSize);
            const std::uint64_t one = std::uint64_t{1} << r % 8 * 8;
            first_rows += r < 8 ? one : 0;
            last_rows += r < 8 ? 0 : one;
            in_row = r == row ? in_row + 1 : 1;
            longest = std::max(longest, in_row);
            row = r;
        } while (keys_[next_] >> kPlaceBits == tile);
        pattern.nnz = static_cast<int>(next_ - first);
        pattern.longest_row = longest;
        typedef std::uint64_t Pair __attribute__((vector_size(16)));
        pattern.row_counts = std::bit_cast<std::array<std::uint8_t, kTileSize>>(Pair{first_rows, last_rows});
        return true;
    }

    /// The width of the next window, so that it will hold more or fewer nonzeros.
    void widen() { width_log2_ = std::min(width_log2_ + 1, kMaxWidthLog2); }
    void narrow() { width_log2_ = std::max(width_log2_ - 1, kMinWidthLog2); }

private:
    static constexpr std::size_t kRoom = 4096;
    static constexpr int kMinWidthLog2 = 16;
    static constexpr int kMaxWidthLog2 = 24;
    static constexpr int kColBits = 4;
    static constexpr int kPlaceBits = 8;  // row and column inside the tile; above them the tile
    static constexpr std::uint32_t kBehindAll = ~std::uint32_t{0};

    void sort_by_digits();

    std::array<std::array<std::uint32_t, kRoom + 1>, 2> buffers_;
    std::uint32_t* keys_ = buffers_[0].data();
    std::uint32_t* other_ = buffers_[1].data();
    std::size_t size_ = 0;
    std::size_t next_ = 0;
    int width_log2_ = kMinWidthLog2;
};

}  // namespace tilespmv::detail
