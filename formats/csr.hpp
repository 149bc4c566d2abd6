#pragma once

#include <algorithm>

#include "formats/bits.hpp"
#include "formats/format.hpp"

namespace tilespmv::formats {

/// The nonzeros in row-major order. Index: one byte per row, the number of nonzeros before it (at most 255, because a
/// tile of 256 has no row that starts after its last), then 4-bit columns.
struct Csr {
    static constexpr std::string_view name = "csr";
    static constexpr bool kVectorRoutine = true;

    static std::optional<TileSize> size(const TilePattern& p, int /*value_bytes*/) {
        return TileSize{p.nnz, p.rows + nibble_bytes(p.nnz)};
    }

    template <class V>
    static void pack(const TilePattern& p, TileSize size, const V* in, V* values, std::uint8_t* index) {
        std::copy_n(in, size.values, values);
        NibbleWriter cols(index + p.rows);
        int k = 0;
        for (int r = 0; r < p.rows; ++r) {
            index[r] = static_cast<std::uint8_t>(k);
            k += p.row_counts[r];
            for_each_bit(p.row_masks[r], [&](int c) { cols.put(c); });
        }
        cols.finish();
    }

    /// One past the last nonzero of row r.
    TILESPMV_HD static int row_end(const std::uint8_t* index, int rows, int nnz, int r) {
        return r + 1 < rows ? index[r + 1] : nnz;
    }

    template <class V, class F>
    TILESPMV_HD static void walk(const TileView<V>& t, F&& f) {
        const std::uint8_t* cols = t.index + t.rows;
        for (int r = 0; r < t.rows; ++r) {
            const int end = row_end(t.index, t.rows, t.entry.nnz(), r);
            for (int k = t.index[r]; k < end; ++k) f(r, get_nibble(cols, k), k);
        }
    }

    static bool shape_ok(int rows, int /*cols*/, TileEntry e, const std::uint8_t* index) {
        const int nnz = e.nnz();
        return e.values() == nnz && e.index_bytes() == rows + nibble_bytes(nnz) && e.parameter() == 0 &&
               index[0] == 0 && std::is_sorted(index, index + rows) && index[rows - 1] <= nnz &&
               spare_nibble_is_zero(index + rows, nnz);
    }
};
static_assert(Format<Csr>);

}  // namespace tilespmv::formats
