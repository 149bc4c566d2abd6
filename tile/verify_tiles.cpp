#include "tile/verify_tiles.hpp"

#include <atomic>

#include <fmt/format.h>

#include "tile/error.hpp"
#include "tile/parallel.hpp"
#include "tile/verify_deferred.hpp"

namespace tilespmv {
namespace {

constexpr std::int64_t kTileRowGrain = 64;

template <class... Args>
[[noreturn]] void fail(fmt::format_string<Args...> format, Args&&... args) {
    throw Error(fmt::format(format, std::forward<Args>(args)...));
}

void check_ptrs(std::string_view name, const Buffer<offset_t>& ptrs, std::size_t tile_rows, std::size_t end) {
    if (ptrs.size() != tile_rows + 1) {
        fail("{} has {} entries, expected one more than {} tile rows", name, ptrs.size(), tile_rows);
    }
    if (ptrs[0] != 0 || static_cast<std::size_t>(ptrs[tile_rows]) != end) {
        fail("{} runs from {} to {}, expected 0 to {}", name, ptrs[0], ptrs[tile_rows], end);
    }
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

/// The tiles of one tile row, checked one after the other.
template <Value V>
class TileRowCheck {
public:
    TileRowCheck(const TileMatrix<V>& a, std::int64_t k, std::span<const FormatInfo> formats)
        : a_(a),
          formats_(formats),
          row_(a.tile_rows[k]),
          height_(a.tile_height(row_)),
          tile_cols_(div_up(a.cols, kTileSize)),
          values_left_(a.value_ptrs[k + 1] - a.value_ptrs[k]),
          index_(a.indices.data() + a.index_ptrs[k]),
          index_end_(a.indices.data() + a.index_ptrs[k + 1]) {}

    void check_tile(TileEntry tile) {
        const index_t column = tile.column();
        if (column <= column_ || column >= tile_cols_) {
            fail("tile ({}, {}): expected ascending columns below {}", row_, column, tile_cols_);
        }
        column_ = column;
        const auto id = static_cast<std::size_t>(tile.format());
        if (id >= formats_.size()) fail("tile ({}, {}) has the unknown format number {}", row_, column, id);
        check_level2(tile, formats_[id]);
        nnz_ += tile.nnz();
    }

    /// Nonzeros of the tile row; every value and index byte must belong to a tile.
    [[nodiscard]] offset_t finish() const {
        if (values_left_ != 0 || index_ != index_end_) {
            fail("tile row {} has {} values and {} index bytes more than its tiles", row_, values_left_,
                 index_end_ - index_);
        }
        return nnz_;
    }

private:
    void check_level2(TileEntry tile, const FormatInfo& format) {
        if (tile.values() > values_left_ || tile.index_bytes() > index_end_ - index_) {
            fail("tile ({}, {}) takes more values or index bytes than its tile row has", row_, tile.column());
        }
        if (!format.valid(height_, a_.tile_width(tile.column()), tile, index_)) {
            fail("tile ({}, {}): sizes or index bytes are not those of a {} tile", row_, tile.column(), format.name);
        }
        values_left_ -= tile.values();
        index_ += tile.index_bytes();
    }

    const TileMatrix<V>& a_;
    std::span<const FormatInfo> formats_;
    index_t row_;
    int height_;
    offset_t tile_cols_;
    offset_t values_left_;
    const std::uint8_t* index_;
    const std::uint8_t* index_end_;
    index_t column_ = -1;
    offset_t nnz_ = 0;
};

/// Returns the nonzeros in tiles.
template <Value V>
offset_t check_tiles(const TileMatrix<V>& a, std::span<const FormatInfo> formats) {
    if (a.rows < 0 || a.cols < 0) fail("negative size {} x {}", a.rows, a.cols);
    const auto tile_rows = a.tile_rows.size();
    check_ptrs("tile_ptrs", a.tile_ptrs, tile_rows, a.tiles.size());
    check_ptrs("value_ptrs", a.value_ptrs, tile_rows, a.values.size());
    check_ptrs("index_ptrs", a.index_ptrs, tile_rows, a.indices.size());
    std::atomic<offset_t> nnz = 0;
    parallel_for(0, static_cast<std::int64_t>(tile_rows), kTileRowGrain, [&](std::int64_t k) {
        check_tile_row_place(a, k);
        TileRowCheck<V> check(a, k, formats);
        for (auto t = a.tile_ptrs[k]; t < a.tile_ptrs[k + 1]; ++t) check.check_tile(a.tiles[t]);
        nnz += check.finish();
    });
    return nnz;
}

}  // namespace

template <Value V>
void validate(const TileMatrix<V>& a, std::span<const FormatInfo> formats) {
    const offset_t tiled = check_tiles(a, formats);
    detail::validate_deferred(a);
    if (tiled + a.deferred.nnz() != a.nnz) {
        fail("{} nonzeros in tiles and {} deferred, expected {} in all", tiled, a.deferred.nnz(), a.nnz);
    }
}

#define TILESPMV_INSTANTIATE(V) template void validate(const TileMatrix<V>&, std::span<const FormatInfo>);
TILESPMV_FOR_EACH_VALUE(TILESPMV_INSTANTIATE)

}  // namespace tilespmv
