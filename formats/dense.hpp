#pragma once

#include <algorithm>

#include "formats/bits.hpp"
#include "formats/format.hpp"

namespace tilespmv::formats {

/// All rows x cols values, column-major. Index: nothing for a full tile; else one mask per column.
struct Dense {
    static constexpr std::string_view name = "dense";

    static std::optional<TileSize> size(const TilePattern& p, int /*value_bytes*/) {
        const int values = p.rows * p.cols;
        return TileSize{values, mask_bytes(p.cols, p.nnz < values)};
    }

    template <class V>
    static void pack(const TilePattern& p, TileSize size, const V* in, V* values, std::uint8_t* index) {
        std::fill_n(values, size.values, V{});
        std::array<unsigned, kTileSize> masks{};
        for (int r = 0; r < p.rows; ++r) {
            for_each_bit(p.row_masks[r], [&](int c) {
                values[c * p.rows + r] = *in++;
                masks[c] |= 1u << r;
            });
        }
        for (int c = 0; c < size.index_bytes / kMaskBytes; ++c) set_mask(index, c, masks[c]);
    }

    template <class V, class F>
    TILESPMV_HD static void walk(const TileView<V>& t, F&& f) {
        const bool full = t.entry.index_bytes() == 0;
        for (int c = 0; c < t.cols; ++c) {
            const unsigned mask = full ? 0xffffu : get_mask(t.index, c);
            for_each_row(mask, t.rows, [&](int r) { f(r, c, c * t.rows + r); });
        }
    }

    static bool shape_ok(int rows, int cols, TileEntry e, const std::uint8_t* index) {
        return e.values() == rows * cols && e.index_bytes() == mask_bytes(cols, e.nnz() < e.values()) &&
               e.parameter() == 0 && masks_are_inside(index, e.index_bytes() / kMaskBytes, rows);
    }

private:
    static int mask_bytes(int cols, bool holes) { return holes ? kMaskBytes * cols : 0; }
};
static_assert(Format<Dense>);

}  // namespace tilespmv::formats
