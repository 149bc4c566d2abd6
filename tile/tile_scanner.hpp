#pragma once

#include <array>
#include <cstring>
#include <memory>

#include "tile/csr.hpp"
#include "tile/tile_pattern.hpp"

namespace tilespmv {

/// Divides one tile row of a CSR matrix into its tiles, in ascending order of their columns. The rows are read side by
/// side through one window after the other, so that every nonzero is touched once and the scratch memory (about 170 KiB
/// a thread) does not depend on the matrix.
class TileScanner {
public:
    template <Value V>
    TileScanner(const CsrMatrix<V>& a, index_t tile_row)
        : TileScanner(a.rows, a.cols, a.nnz(), a.row_ptrs.data(), a.col_idxs.data(), tile_row) {}
    ~TileScanner();
    TileScanner(const TileScanner&) = delete;
    TileScanner& operator=(const TileScanner&) = delete;

    /// Moves to the next tile; false if there is none. Throws `Error` where columns do not ascend or leave the matrix.
    bool next();

    /// The tile's pattern, counted.
    [[nodiscard]] const TilePattern& pattern() const { return pattern_; }
    [[nodiscard]] index_t column() const { return column_; }
    /// CSR position of the tile's first nonzero in its row r.
    [[nodiscard]] offset_t first(int r) const { return begin_[r] + passed_[r]; }

    /// Copies the tile's nonzeros in row-major order from an array in CSR order. `out` has room for kGatherRoom values;
    /// what comes after the tile's nonzeros is overwritten.
    template <class V>
    void gather(const V* csr_values, V* out) const {
        if (may_overrun_ && pattern_.longest_row <= kGatherStep && pattern_.nnz >= kTileSize / 2) {
            for (std::size_t r = 0; r < kTileSize; ++r) {  // a fixed size is two moves, not a call
                std::memcpy(out, csr_values + begin_[r] + passed_[r], kGatherStep * sizeof(V));
                out += pattern_.row_counts[r];
            }
        } else {
            pattern_.for_each_row([&](int r) { out = copy_few(csr_values + first(r), pattern_.row_counts[r], out); });
        }
    }
    static constexpr int kGatherStep = 4;
    static constexpr int kGatherRoom = kTileSize * kTileSize + kGatherStep;

    /// std::copy_n for the handful of nonzeros that a row has in a tile, without the call that it would become.
    template <class V>
    static V* copy_few(const V* in, int n, V* out) {
        for (; n >= 4; n -= 4, in += 4, out += 4) std::memcpy(out, in, 4 * sizeof(V));
        if ((n & 2) != 0) {
            std::memcpy(out, in, 2 * sizeof(V));
            in += 2;
            out += 2;
        }
        if ((n & 1) != 0) *out++ = *in;
        return out;
    }

private:
    struct Windows;
    class WindowPool;

    TileScanner(index_t rows, index_t cols, offset_t nnz, const offset_t* row_ptrs, const index_t* col_idxs,
                index_t tile_row);
    void repeat_rows();
    bool fill_window();
    /// Reads what lies in the window; false, with nothing read, if it has no room for all of it.
    template <class Window>
    bool read_rows(Window& window);
    [[noreturn]] void fail(int r) const;

    index_t cols_;
    std::int64_t row0_;
    const index_t* col_idxs_;
    index_t column_ = 0;
    TilePattern pattern_;
    // Set by the constructor: compilers would fill them with zeros before that, by a slow instruction.
    std::array<offset_t, kTileSize> begin_;          // of the row
    std::array<std::uint32_t, kTileSize> passed_;    // nonzeros of the row before the current tile
    std::array<offset_t, kTileSize> read_;           // first position that no window has seen
    std::array<offset_t, kTileSize> end_;            // of the row
    std::array<std::uint32_t, kTileSize> last_col_;  // last column read; -1 before the first
    std::uint32_t window_col_ = 0;
    bool may_overrun_ = false;  // kGatherStep values may be read wherever a row of the tile row starts
    std::unique_ptr<Windows> windows_;
};

}  // namespace tilespmv
