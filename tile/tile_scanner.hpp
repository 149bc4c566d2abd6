#pragma once

#include <algorithm>
#include <array>
#include <limits>

#include "tile/csr.hpp"
#include "tile/tile_pattern.hpp"

namespace tilespmv {

/// Cuts one tile row of a CSR matrix into its tiles, in ascending order of their columns: a 16-way merge that touches
/// every nonzero once and keeps a few numbers per row, whatever the number of columns.
class TileScanner {
public:
    template <Value V>
    TileScanner(const CsrMatrix<V>& a, index_t tile_row)
        : cols_(a.cols), row0_(static_cast<std::int64_t>(tile_row) * kTileSize), col_idxs_(a.col_idxs.data()) {
        pattern_.rows = static_cast<int>(std::min<std::int64_t>(kTileSize, a.rows - row0_));
        next_tile_.fill(kNone);
        for (int r = 0; r < pattern_.rows; ++r) start_row(r, a.row_ptrs[row0_ + r], a.row_ptrs[row0_ + r + 1]);
    }

    /// Moves to the next tile; false if there is none. Throws `Error` where columns do not ascend or leave the matrix.
    bool next();

    /// The tile's pattern, counted.
    [[nodiscard]] const TilePattern& pattern() const { return pattern_; }
    [[nodiscard]] index_t column() const { return static_cast<index_t>(tile_); }
    /// CSR position of the tile's first nonzero in its row r.
    [[nodiscard]] offset_t first(int r) const { return first_[r]; }

    /// Copies the tile's nonzeros in row-major order from an array in CSR order.
    template <class V>
    void gather(const V* csr_values, V* out) const {
        for (int r = 0; r < pattern_.rows; ++r) {
            out = std::copy_n(csr_values + first_[r], pattern_.row_counts[r], out);
        }
    }

private:
    static constexpr std::uint32_t kNone = std::numeric_limits<std::uint32_t>::max();

    void start_row(int r, offset_t begin, offset_t end);
    void take_row(int r);
    [[noreturn]] void fail(int r) const;

    index_t cols_;
    std::int64_t row0_;
    const index_t* col_idxs_;
    std::uint32_t tile_ = 0;
    TilePattern pattern_;
    std::array<std::uint32_t, kTileSize> next_tile_;  // tile column of each row's next nonzero
    std::array<offset_t, kTileSize> first_{};
    std::array<offset_t, kTileSize> cursor_{};
    std::array<offset_t, kTileSize> end_{};
};

}  // namespace tilespmv
