#pragma once

#include <algorithm>

#include "formats/bits.hpp"
#include "formats/format.hpp"

namespace tilespmv::formats {

/// All rows x cols values, column-major. Index: nothing for a full tile; else one mask per column.
struct Dense {
    static constexpr std::string_view name = "dense";
    static constexpr bool kVectorRoutine = true;

    static std::optional<TileSize> size(const TilePattern& p, int /*value_bytes*/) {
        const int values = p.rows * p.cols;
        return TileSize{values, p.nnz < values ? kMaskBytes * p.cols : 0};
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

    /// f(place) for the places of padding.
    template <class V, class F>
    static void walk_padding(const TileView<V>& t, F&& f) {
        for (int c = 0; c < t.entry.index_bytes() / kMaskBytes; ++c) {
            for_each_hole(get_mask(t.index, c), t.rows, [&](int r) { f(c * t.rows + r); });
        }
    }

    static int mask_bytes(int /*rows*/, int /*cols*/, TileEntry e) { return e.index_bytes(); }

    /// As many bits of masks as there are nonzeros, none of them below the tile, are all there is to check.
    static constexpr bool kShapeIsAll = true;
    static bool shape_ok(int rows, int cols, TileEntry e, const std::uint8_t* index) {
        if (e.values() != rows * cols || e.parameter() != 0) return false;
        if (e.nnz() == e.values()) return e.index_bytes() == 0;
        if (e.index_bytes() != kMaskBytes * cols) return false;
        unsigned any = 0;
        int nnz = 0;
        for (int c = 0; c < cols; ++c) {
            any |= get_mask(index, c);
            nnz += std::popcount(get_mask(index, c));
        }
        return any >> rows == 0 && nnz == e.nnz();
    }
};
static_assert(Format<Dense>);

}  // namespace tilespmv::formats
