#pragma once

#include <algorithm>

#include "formats/bits.hpp"
#include "formats/format.hpp"

namespace tilespmv::formats {

/// Tiles whose rows are empty or full: the full rows, row-major. Index: their 4-bit ids, ascending.
struct DenseRow {
    static constexpr std::string_view name = "dense_row";
    static constexpr bool kVectorRoutine = true;

    static std::optional<TileSize> size(const TilePattern& p, int /*value_bytes*/) {
        if (!p.only_full_rows()) return std::nullopt;
        return TileSize{p.nnz, nibble_bytes(p.nnz / p.cols)};
    }

    template <class V>
    static void pack(const TilePattern& p, TileSize size, const V* in, V* values, std::uint8_t* index) {
        std::copy_n(in, size.values, values);
        std::fill_n(index, size.index_bytes, std::uint8_t{0});
        int k = 0;
        for (int r = 0; r < p.rows; ++r) {
            if (p.row_counts[r] > 0) set_nibble(index, k++, r);
        }
    }

    template <class V, class F>
    TILESPMV_HD static void walk(const TileView<V>& t, F&& f) {
        const int full_rows = t.entry.nnz() / t.cols;
        for (int k = 0; k < full_rows; ++k) {
            const int r = get_nibble(t.index, k);
            for (int c = 0; c < t.cols; ++c) f(r, c, k * t.cols + c);
        }
    }

    static bool shape_ok(int /*rows*/, int cols, TileEntry e, const std::uint8_t* index) {
        return e.values() == e.nnz() && e.nnz() % cols == 0 && e.index_bytes() == nibble_bytes(e.nnz() / cols) &&
               e.parameter() == 0 && spare_nibble_is_zero(index, e.nnz() / cols) &&
               nibbles_ascend(index, e.nnz() / cols);
    }
};
static_assert(Format<DenseRow>);

}  // namespace tilespmv::formats
