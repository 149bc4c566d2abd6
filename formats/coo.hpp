#pragma once

#include <algorithm>

#include "formats/bits.hpp"
#include "formats/format.hpp"

namespace tilespmv::formats {

/// The nonzeros in row-major order. Index: one byte per nonzero, row << 4 | col.
struct Coo {
    static constexpr std::string_view name = "coo";

    static std::optional<TileSize> size(const TilePattern& p, int /*value_bytes*/) { return TileSize{p.nnz, p.nnz}; }

    template <class V>
    static void pack(const TilePattern& p, TileSize size, const V* in, V* values, std::uint8_t* index) {
        std::copy_n(in, size.values, values);
        p.for_each_row([&](int r) {
            for_each_bit(p.row_masks[r], [&](int c) { *index++ = static_cast<std::uint8_t>(r << 4 | c); });
        });
    }

    template <class V, class F>
    TILESPMV_HD static void walk(const TileView<V>& t, F&& f) {
        for (int k = 0; k < t.entry.nnz(); ++k) f(t.index[k] >> 4, t.index[k] & 15, k);
    }

    static bool shape_ok(int /*rows*/, int /*cols*/, TileEntry e, const std::uint8_t* /*index*/) {
        return e.values() == e.nnz() && e.index_bytes() == e.nnz() && e.parameter() == 0;
    }
};
static_assert(Format<Coo>);

}  // namespace tilespmv::formats
