#include "tile/archive/verify_deferred.hpp"

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "tile/error.hpp"
#include "tile/parallel.hpp"

namespace tilespmv::detail {
namespace {

constexpr std::int64_t kRowGrain = 4096;

template <class... Args>
[[noreturn]] void fail(fmt::format_string<Args...> format, Args&&... args) {
    throw Error("deferred part: " + fmt::format(format, std::forward<Args>(args)...));
}

/// A set of tile columns that sometimes says yes where it should say no: of fixed size, however wide the matrix is.
class ColumnFilter {
public:
    void add(index_t tile_column) { word(tile_column) |= std::uint64_t{1} << tile_column % 64; }
    void remove(index_t tile_column) { word(tile_column) &= ~(std::uint64_t{1} << tile_column % 64); }
    /// Whether the tile column of any of these columns may be in the set.
    [[nodiscard]] bool may_hold_any(std::span<const index_t> cols) const {
        std::uint64_t hits = 0;
        for (const index_t col : cols) {
            const auto tile_column = static_cast<std::uint32_t>(col) / kTileSize;
            hits |= words_[tile_column / 64 % kWords] >> tile_column % 64;
        }
        return (hits & 1) != 0;
    }

private:
    static constexpr std::size_t kWords = 1024;
    std::uint64_t& word(index_t tile_column) { return words_[static_cast<std::size_t>(tile_column) / 64 % kWords]; }

    std::array<std::uint64_t, kWords> words_{};
};

/// Checks listed rows in ascending order, against the tiles of their tile rows too.
template <Value V>
class RowCheck {
public:
    /// For listed rows from `first` on.
    RowCheck(const TileMatrix<V>& a, std::span<const FormatInfo> formats, offset_t first)
        : a_(a), formats_(formats), d_(a.deferred) {
        const index_t tile_row = d_.row(first) / kTileSize;
        const auto* listed = std::lower_bound(a.tile_rows.begin(), a.tile_rows.end(), tile_row);
        listed_ = static_cast<std::size_t>(listed - a.tile_rows.begin());
    }

    void check(offset_t k) {
        const index_t row = d_.row(k);
        if (row < 0 || row >= a_.rows || (k > 0 && row <= d_.row(k - 1))) {
            fail("row {}: expected ascending ids below {}", row, a_.rows);
        }
        const offset_t begin = d_.begin(k);
        const offset_t end = d_.begin(k + 1);
        if (begin < 0 || begin > end || end > d_.nnz()) fail("row {}: pointers descend", row);
        const std::span cols(d_.col_idxs.data() + begin, d_.col_idxs.data() + end);
        if (cols.empty()) return;
        check_columns(row, cols);
        if (row / kTileSize != tile_row_) enter(row / kTileSize);
        if (!tiles_.empty() && filter_.may_hold_any(cols)) check_not_tiled(row, cols);
    }

private:
    void check_columns(index_t row, std::span<const index_t> cols) const {
        bool ascending = true;  // without an exit, so that the loop can be vectorised
        for (std::size_t i = 1; i < cols.size(); ++i) ascending &= cols[i - 1] < cols[i];
        if (!ascending || cols.front() < 0 || cols.back() >= a_.cols) {
            fail("row {}: expected ascending columns below {}", row, a_.cols);
        }
    }

    void enter(index_t tile_row) {
        for (const TileEntry tile : tiles_) filter_.remove(tile.column());
        tile_row_ = tile_row;
        tiles_ = {};
        const auto end = a_.tile_rows.size();
        while (listed_ < end && a_.tile_rows[listed_] < tile_row) ++listed_;
        if (listed_ == end || a_.tile_rows[listed_] != tile_row) return;
        tiles_ = {a_.tiles.data() + a_.tile_ptrs[listed_], a_.tiles.data() + a_.tile_ptrs[listed_ + 1]};
        for (const TileEntry tile : tiles_) filter_.add(tile.column());
    }

    /// A tile need not hold all nonzeros at its place, but none that is deferred.
    void check_not_tiled(index_t row, std::span<const index_t> cols) const {
        TileView<double> tile;
        tile.rows = a_.tile_height(tile_row_);
        tile.index = a_.indices.data() + a_.index_ptrs[listed_];
        auto next = tiles_.begin();
        for (const index_t col : cols) {
            for (; next != tiles_.end() && next->column() < col / kTileSize; ++next) tile.index += next->index_bytes();
            if (next == tiles_.end()) return;
            if (next->column() != col / kTileSize) continue;
            tile.entry = *next;
            tile.cols = a_.tile_width(next->column());
            const auto format = static_cast<std::size_t>(next->format());
            if (formats_[format].holds(tile, row % kTileSize, col % kTileSize)) {
                fail("row {}, column {} is in a tile as well", row, col);
            }
        }
    }

    const TileMatrix<V>& a_;
    std::span<const FormatInfo> formats_;
    const DeferredCsr<V>& d_;
    std::size_t listed_;                ///< first tile row of level 1 that is not before the current row
    index_t tile_row_ = -1;             ///< of the current row
    std::span<const TileEntry> tiles_;  ///< of tile_row_
    ColumnFilter filter_;               ///< their columns
};

}  // namespace

template <Value V>
void validate_deferred(const TileMatrix<V>& a, std::span<const FormatInfo> formats) {
    parallel_ranges(0, a.deferred.listed_rows(), kRowGrain, [&](std::int64_t first, std::int64_t last) {
        RowCheck<V> rows(a, formats, first);
        for (auto k = first; k < last; ++k) rows.check(k);
    });
}

#define TILESPMV_INSTANTIATE(V) template void validate_deferred(const TileMatrix<V>&, std::span<const FormatInfo>);
TILESPMV_FOR_EACH_VALUE(TILESPMV_INSTANTIATE)

}  // namespace tilespmv::detail
