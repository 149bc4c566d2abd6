#pragma once

#include "formats/ell.hpp"

namespace tilespmv::formats {

/// An ELL block of the width that takes the fewest bytes, then the rest of the long rows as COO. Parameter: the width.
/// Values: the block, then the COO part. Index: that of the block, then one byte (row << 4 | col) per COO nonzero.
struct Hyb {
    static constexpr std::string_view name = "hyb";

    static std::optional<TileSize> size(const TilePattern& p, int value_bytes) {
        TileSize best = size_of_width(p, 1);
        for (int width = 2; width <= p.longest_row; ++width) {
            const TileSize next = size_of_width(p, width);
            if (next.bytes(value_bytes) < best.bytes(value_bytes)) best = next;
        }
        return best;
    }

    template <class V>
    static void pack(const TilePattern& p, TileSize size, const V* in, V* values, std::uint8_t* index) {
        const int width = size.parameter;
        const int block = p.rows * width;
        const bool holes = p.nnz - (size.values - block) < block;
        V* coo_values = values + block;
        std::uint8_t* coo = index + EllBlock::index_bytes(p.rows, width, holes);
        EllBlock::pack(p, width, holes, in, values, index, [&](int r, int c, V v) {
            *coo++ = static_cast<std::uint8_t>(r << 4 | c);
            *coo_values++ = v;
        });
    }

    /// Nonzeros in the COO part of a tile with this many rows.
    TILESPMV_HD static int coo_nnz(int rows, TileEntry e) { return e.values() - rows * e.parameter(); }
    /// Whether the ELL block has padding.
    TILESPMV_HD static bool has_holes(int rows, TileEntry e) {
        return e.nnz() - coo_nnz(rows, e) < rows * e.parameter();
    }

    template <class V, class F>
    TILESPMV_HD static void walk(const TileView<V>& t, F&& f) {
        const int coo = coo_nnz(t.rows, t.entry);
        const int block = t.rows * t.entry.parameter();
        EllBlock::walk(t.rows, t.entry.parameter(), has_holes(t.rows, t.entry), t.index, f);
        const std::uint8_t* index = t.index + t.entry.index_bytes() - coo;
        for (int k = 0; k < coo; ++k) f(index[k] >> 4, index[k] & 15, block + k);
    }

    static bool shape_ok(int rows, int /*cols*/, TileEntry e, const std::uint8_t* /*index*/) {
        const int width = e.parameter();
        const int coo = coo_nnz(rows, e);
        return width >= 1 && coo >= 0 && coo <= e.nnz() &&
               e.index_bytes() == EllBlock::index_bytes(rows, width, has_holes(rows, e)) + coo;
    }

private:
    static TileSize size_of_width(const TilePattern& p, int width) {
        int in_block = 0;
        for (int r = 0; r < p.rows; ++r) in_block += p.row_counts[r] < width ? p.row_counts[r] : width;
        const int coo = p.nnz - in_block;
        const int block = p.rows * width;
        return {block + coo, EllBlock::index_bytes(p.rows, width, in_block < block) + coo, width};
    }
};
static_assert(Format<Hyb>);

}  // namespace tilespmv::formats
