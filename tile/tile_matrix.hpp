#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "tile/csr.hpp"
#include "tile/types.hpp"

namespace tilespmv {

/// What level 1 knows of one tile, in 8 bytes: where it stands, its format, and how much of the arenas it takes.
/// Tiles of a tile row lie one after the other in the arenas, so sizes suffice where offsets would not fit.
class TileEntry {
public:
    // What its bits hold at most.
    static constexpr int kMaxFormats = 32;
    static constexpr int kMaxValues = 256;
    static constexpr int kMaxIndexBytes = 511;

    TileEntry() = default;
    /// `column`: tile column, below 2^27; `nnz` and `values`: 1 to 256; `index_bytes`: 0 to 511; `parameter`: 0 to 127.
    TILESPMV_HD constexpr TileEntry(index_t column, int format, int nnz, int values, int index_bytes, int parameter)
        : column_format_(static_cast<std::uint32_t>(column) | static_cast<std::uint32_t>(format) << 27),
          sizes_(static_cast<std::uint32_t>(nnz - 1) | static_cast<std::uint32_t>(values - 1) << 8 |
                 static_cast<std::uint32_t>(index_bytes) << 16 | static_cast<std::uint32_t>(parameter) << 25) {}

    [[nodiscard]] TILESPMV_HD constexpr index_t column() const {
        return static_cast<index_t>(column_format_ & 0x7ffffffu);
    }
    [[nodiscard]] TILESPMV_HD constexpr int format() const { return static_cast<int>(column_format_ >> 27); }
    [[nodiscard]] TILESPMV_HD constexpr int nnz() const { return static_cast<int>(sizes_ & 255u) + 1; }
    /// Values stored, padding included.
    [[nodiscard]] TILESPMV_HD constexpr int values() const { return static_cast<int>(sizes_ >> 8 & 255u) + 1; }
    [[nodiscard]] TILESPMV_HD constexpr int index_bytes() const { return static_cast<int>(sizes_ >> 16 & 511u); }
    /// A number that the format may keep, such as the width of an ELL tile.
    [[nodiscard]] TILESPMV_HD constexpr int parameter() const { return static_cast<int>(sizes_ >> 25); }

    friend bool operator==(const TileEntry&, const TileEntry&) = default;

private:
    std::uint32_t column_format_ = 0;
    std::uint32_t sizes_ = 0;
};
static_assert(sizeof(TileEntry) == 8);

/// One tile as formats and kernels see it: its own sizes and its own part of the arenas.
template <class V>
struct TileView {
    int rows = 0;  ///< 16, fewer at the bottom edge
    int cols = 0;  ///< 16, fewer at the right edge
    TileEntry entry;
    const V* values = nullptr;            ///< entry.values() of them
    const std::uint8_t* index = nullptr;  ///< entry.index_bytes() of them
};

/// The tiles of one tile row on their way through a check, and what is left for them of its part of the arenas.
struct UncheckedTiles {
    int rows = 0;                     ///< of the tile row
    index_t cols = 0;                 ///< of the matrix
    const TileEntry* tile = nullptr;  ///< the next one
    const TileEntry* end = nullptr;
    index_t column = -1;  ///< tile column of its predecessor
    offset_t values = 0;
    const std::uint8_t* index = nullptr;
    const std::uint8_t* index_end = nullptr;
    offset_t nnz = 0;                       ///< of the tiles passed
    const std::byte* values_end = nullptr;  ///< `values` values of `value_bytes` bytes each end here
    int value_bytes = 0;                    ///< 2, 4 or 8
};

/// What one format is to code that must not know the formats (archive, statistics).
struct FormatInfo {
    std::string_view name;  ///< "ell"
    /// Passes over tiles of this format, number `id`, up to the first that is of another one or not valid: columns
    /// ascend inside the matrix, the arenas have what it takes, its sizes, parameter and index bytes fit each other
    /// and stay inside the tile, and all bits of its padding are 0.
    void (*pass_valid)(UncheckedTiles& tiles, int id) = nullptr;
    /// Whether a valid tile of this format has a nonzero in this row and column of its own; looks at no values.
    bool (*holds)(const TileView<double>& tile, int row, int col) = nullptr;
    /// How many of a valid tile's index bytes are masks that tell its padding from nonzeros.
    int (*mask_bytes)(int rows, int cols, TileEntry entry) = nullptr;
};

/// Nonzeros outside the tiled part, as CSR over all rows or over the non-empty rows only.
template <Value V>
struct DeferredCsr {
    Buffer<index_t> row_ids;           ///< ascending ids of the rows listed; empty: every row of the matrix is
    Buffer<std::uint32_t> row_ptrs32;  ///< listed rows + 1, or none if there is nothing deferred ...
    Buffer<std::uint64_t> row_ptrs64;  ///< ... or if 2^32 nonzeros or more need these
    Buffer<index_t> col_idxs;
    Buffer<V> values;

    [[nodiscard]] offset_t nnz() const noexcept { return static_cast<offset_t>(col_idxs.size()); }
    /// Number of rows listed, 0 if nothing is deferred.
    [[nodiscard]] offset_t listed_rows() const noexcept {
        const auto entries = row_ptrs32.size() + row_ptrs64.size();
        return entries == 0 ? 0 : static_cast<offset_t>(entries) - 1;
    }
    /// Row of the matrix that is listed as the k-th.
    [[nodiscard]] index_t row(offset_t k) const noexcept {
        return row_ids.empty() ? static_cast<index_t>(k) : row_ids[k];
    }
    /// Position in the list of the first listed row at or after `row`, listed_rows() if there is none.
    [[nodiscard]] offset_t first_listed(std::int64_t row) const noexcept {
        if (row_ids.empty()) return std::min<offset_t>(row, listed_rows());
        return std::lower_bound(row_ids.begin(), row_ids.end(), row) - row_ids.begin();
    }
    /// First nonzero of listed row k; k = listed_rows() gives nnz().
    [[nodiscard]] offset_t begin(offset_t k) const noexcept {
        return static_cast<offset_t>(row_ptrs64.empty() ? row_ptrs32[k] : row_ptrs64[k]);
    }
    [[nodiscard]] std::size_t bytes() const noexcept {
        return row_ids.bytes() + row_ptrs32.bytes() + row_ptrs64.bytes() + col_idxs.bytes() + values.bytes();
    }
};

/// A matrix in 16 x 16 tiles. Level 1 lists the tile rows that hold tiles and, per tile, a `TileEntry`; level 2 is two
/// arenas in tile order. Nothing here depends on which formats there are.
template <Value V>
struct TileMatrix {
    index_t rows = 0;
    index_t cols = 0;
    offset_t nnz = 0;  ///< tiled and deferred

    // Level 1, tile rows: 28 bytes for each that holds a tile, nothing for the others.
    Buffer<index_t> tile_rows;       ///< ascending ids (row / 16)
    Buffer<offset_t> tile_ptrs{0};   ///< tile_rows + 1; first tile of each
    Buffer<offset_t> value_ptrs{0};  ///< tile_rows + 1; first value of each in `values`
    Buffer<offset_t> index_ptrs{0};  ///< tile_rows + 1; first byte of each in `indices`
    Buffer<TileEntry> tiles;         ///< tile columns ascend within a tile row

    // Level 2.
    Buffer<V> values;
    Buffer<std::uint8_t> indices;

    DeferredCsr<V> deferred;

    [[nodiscard]] std::size_t level1_bytes() const noexcept {
        return tile_rows.bytes() + tile_ptrs.bytes() + value_ptrs.bytes() + index_ptrs.bytes() + tiles.bytes();
    }
    /// Everything a product reads but x and y.
    [[nodiscard]] std::size_t bytes() const noexcept {
        return level1_bytes() + values.bytes() + indices.bytes() + deferred.bytes();
    }
    /// Rows of the tiles in a tile row and columns of those in a tile column: 16, fewer at the edge of the matrix.
    [[nodiscard]] int tile_height(index_t tile_row) const noexcept { return edge(rows, tile_row); }
    [[nodiscard]] int tile_width(index_t tile_col) const noexcept { return edge(cols, tile_col); }

private:
    static int edge(index_t size, index_t tile) noexcept {
        const auto left = size - static_cast<std::int64_t>(tile) * kTileSize;
        return left < kTileSize ? static_cast<int>(left) : kTileSize;
    }
};

/// The same matrix with copies of its values; its other arrays are those of `a`, which must outlive it.
template <Value V>
TileMatrix<V> with_own_values(const TileMatrix<V>& a) {
    const auto same = []<class T>(const Buffer<T>& array) {
        return Buffer<T>::view(const_cast<T*>(array.data()), array.size(), nullptr);
    };
    const auto& d = a.deferred;
    return {.rows = a.rows,
            .cols = a.cols,
            .nnz = a.nnz,
            .tile_rows = same(a.tile_rows),
            .tile_ptrs = same(a.tile_ptrs),
            .value_ptrs = same(a.value_ptrs),
            .index_ptrs = same(a.index_ptrs),
            .tiles = same(a.tiles),
            .values = a.values.clone(),
            .indices = same(a.indices),
            .deferred = {same(d.row_ids), same(d.row_ptrs32), same(d.row_ptrs64), same(d.col_idxs), d.values.clone()}};
}

/// Calls f(const TileView<V>&) for the tiles of the k-th listed tile row, in order. Views are valid during the call.
template <Value V, class F>
void for_each_tile(const TileMatrix<V>& a, offset_t k, F&& f) {
    TileView<V> tile;
    tile.rows = a.tile_height(a.tile_rows[k]);
    tile.values = a.values.data() + a.value_ptrs[k];
    tile.index = a.indices.data() + a.index_ptrs[k];
    for (offset_t t = a.tile_ptrs[k]; t < a.tile_ptrs[k + 1]; ++t) {
        tile.entry = a.tiles[t];
        tile.cols = a.tile_width(tile.entry.column());
        f(static_cast<const TileView<V>&>(tile));
        tile.values += tile.entry.values();
        tile.index += tile.entry.index_bytes();
    }
}

}  // namespace tilespmv
