#include "tile/archive/verify_tiles.hpp"

#include <algorithm>
#include <array>
#include <atomic>

#include <fmt/format.h>

#include "tile/error.hpp"
#include "tile/parallel.hpp"
#include "tile/sizes.hpp"

namespace tilespmv {
namespace {

constexpr std::int64_t kTileRowGrain = 64;

template <class... Args>
[[noreturn]] void fail(fmt::format_string<Args...> format, Args&&... args) {
    throw Error(fmt::format(format, std::forward<Args>(args)...));
}

/// Range k lies inside [0, end]; says nothing about other ranges, which other threads may still have to check.
bool in_range(const Buffer<offset_t>& ptrs, std::int64_t k, std::size_t end) {
    return 0 <= ptrs[k] && ptrs[k] <= ptrs[k + 1] && ptrs[k + 1] <= static_cast<offset_t>(end);
}

template <Value V>
void check_tile_row_place(const TileMatrix<V>& a, std::int64_t k) {
    const index_t row = a.tile_rows[k];
    const index_t before = k > 0 ? a.tile_rows[k - 1] : -1;
    const auto end = div_up(a.rows, kTileSize);
    if (row <= before || row >= end) fail("tile row {}: expected ascending ids below {}", row, end);
    if (!in_range(a.tile_ptrs, k, a.tiles.size()) || !in_range(a.value_ptrs, k, a.values.size()) ||
        !in_range(a.index_ptrs, k, a.indices.size())) {
        fail("tile row {}: pointers descend or leave their arena", row);
    }
    if (a.tile_ptrs[k] == a.tile_ptrs[k + 1]) fail("tile row {} is listed but has no tiles", row);
}

/// Says what is wrong with the next tile.
[[noreturn]] void refuse(const UncheckedTiles& tiles, index_t row, std::span<const FormatInfo> formats) {
    const TileEntry tile = *tiles.tile;
    const index_t column = tile.column();
    const auto end = div_up(tiles.cols, kTileSize);
    if (column <= tiles.column || column >= end) {
        fail("tile ({}, {}): expected ascending columns below {}", row, column, end);
    }
    const auto id = static_cast<std::size_t>(tile.format());
    if (id >= formats.size()) fail("tile ({}, {}) has the unknown format number {}", row, column, id);
    if (tile.values() > tiles.values || tile.index_bytes() > tiles.index_end - tiles.index) {
        fail("tile ({}, {}) takes more values or index bytes than its tile row has", row, column);
    }
    fail("tile ({}, {}): sizes, index bytes or padding are not those of a {} tile", row, column, formats[id].name);
}

/// Checks the tiles of the k-th listed tile row and returns their nonzeros. Every value and index byte must belong to a
/// tile.
template <Value V>
offset_t check_tile_row(const TileMatrix<V>& a, std::int64_t k, std::span<const FormatInfo> formats) {
    const index_t row = a.tile_rows[k];
    UncheckedTiles tiles{.rows = a.tile_height(row),
                         .cols = a.cols,
                         .tile = a.tiles.data() + a.tile_ptrs[k],
                         .end = a.tiles.data() + a.tile_ptrs[k + 1],
                         .values = a.value_ptrs[k + 1] - a.value_ptrs[k],
                         .index = a.indices.data() + a.index_ptrs[k],
                         .index_end = a.indices.data() + a.index_ptrs[k + 1],
                         .values_end = reinterpret_cast<const std::byte*>(a.values.data() + a.value_ptrs[k + 1]),
                         .value_bytes = sizeof(V)};
    while (tiles.tile < tiles.end) {
        const TileEntry* const next = tiles.tile;
        const int id = next->format();
        if (static_cast<std::size_t>(id) < formats.size()) formats[static_cast<std::size_t>(id)].pass_valid(tiles, id);
        if (tiles.tile == next) refuse(tiles, row, formats);
    }
    if (tiles.values != 0 || tiles.index != tiles.index_end) {
        fail("tile row {} has {} values and {} index bytes more than its tiles", row, tiles.values,
             tiles.index_end - tiles.index);
    }
    return tiles.nnz;
}

/// Returns the nonzeros in tiles.
template <Value V>
offset_t check_tiles(const TileMatrix<V>& a, std::span<const FormatInfo> formats) {
    std::atomic<offset_t> nnz = 0;
    parallel_for(0, static_cast<std::int64_t>(a.tile_rows.size()), kTileRowGrain, [&](std::int64_t k) {
        check_tile_row_place(a, k);
        nnz += check_tile_row(a, k, formats);
    });
    return nnz;
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
            fail("deferred part: row {}: expected ascending ids below {}", row, a_.rows);
        }
        const offset_t begin = d_.begin(k);
        const offset_t end = d_.begin(k + 1);
        if (begin < 0 || begin > end || end > d_.nnz()) fail("deferred part: row {}: pointers descend", row);
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
            fail("deferred part: row {}: expected ascending columns below {}", row, a_.cols);
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
                fail("deferred part: row {}, column {} is in a tile as well", row, col);
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

template <Value V>
void check_deferred_rows(const TileMatrix<V>& a, std::span<const FormatInfo> formats) {
    parallel_ranges(0, a.deferred.listed_rows(), kRowGrain, [&](std::int64_t first, std::int64_t last) {
        RowCheck<V> rows(a, formats, first);
        for (auto k = first; k < last; ++k) rows.check(k);
    });
}

}  // namespace

template <Value V>
void validate(const TileMatrix<V>& a, std::span<const FormatInfo> formats) {
    validate_sizes(a);
    const offset_t tiled = check_tiles(a, formats);
    check_deferred_rows(a, formats);
    if (tiled + a.deferred.nnz() != a.nnz) {
        fail("{} nonzeros in tiles and {} deferred, expected {} in all", tiled, a.deferred.nnz(), a.nnz);
    }
}

#define TILESPMV_INSTANTIATE(V) template void validate(const TileMatrix<V>&, std::span<const FormatInfo>);
TILESPMV_FOR_EACH_VALUE(TILESPMV_INSTANTIATE)

}  // namespace tilespmv
