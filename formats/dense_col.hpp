#pragma once

#include <algorithm>

#include "formats/bits.hpp"
#include "formats/format.hpp"

namespace tilespmv::formats {

/// Tiles whose columns are empty or full: the full columns, column-major. Index: their 4-bit ids, ascending.
struct DenseCol {
    static constexpr std::string_view name = "dense_col";
    static constexpr bool kVectorRoutine = true;

    static std::optional<TileSize> size(const TilePattern& p, int /*value_bytes*/) {
        if (!p.only_full_cols()) return std::nullopt;
        return TileSize{p.nnz, nibble_bytes(p.nnz / p.rows)};
    }

    template <class V>
    static void pack(const TilePattern& p, TileSize size, const V* in, V* values, std::uint8_t* index) {
        std::fill_n(index, size.index_bytes, std::uint8_t{0});
        const int full_cols = p.row_counts[0];
        int k = 0;
        for_each_bit(p.row_masks[0], [&](int c) { set_nibble(index, k++, c); });
        for (int r = 0; r < p.rows; ++r) {
            for (k = 0; k < full_cols; ++k) values[k * p.rows + r] = *in++;
        }
    }

    template <class V, class F>
    TILESPMV_HD static void walk(const TileView<V>& t, F&& f) {
        const int full_cols = t.entry.nnz() / t.rows;
        for (int k = 0; k < full_cols; ++k) {
            const int c = get_nibble(t.index, k);
            for (int r = 0; r < t.rows; ++r) f(r, c, k * t.rows + r);
        }
    }

    static bool shape_ok(int rows, int /*cols*/, TileEntry e, const std::uint8_t* index) {
        return e.values() == e.nnz() && e.nnz() % rows == 0 && e.index_bytes() == nibble_bytes(e.nnz() / rows) &&
               e.parameter() == 0 && spare_nibble_is_zero(index, e.nnz() / rows);
    }
};
static_assert(Format<DenseCol>);

}  // namespace tilespmv::formats
