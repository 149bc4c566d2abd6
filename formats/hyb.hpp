#pragma once

#include "formats/ell.hpp"

namespace tilespmv::formats {

/// An ELL block of the width that takes the fewest bytes, then the rest of the long rows as COO. Parameter: the width.
/// Values: the block, then the COO part. Index: that of the block, then one byte (row << 4 | col) per COO nonzero.
struct Hyb {
    static constexpr std::string_view name = "hyb";
    static constexpr bool kVectorRoutine = true;

    static std::optional<TileSize> size(const TilePattern& p, int value_bytes) {
        TileSize best;
        int in_block = 0;
        for (int width = 1; width <= p.longest_row; ++width) {
            in_block += rows_longer_than(p, width - 1);
            const TileSize next = size_of_width(p, width, in_block);
            if (width == 1 || next.bytes(value_bytes) < best.bytes(value_bytes)) best = next;
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

    template <class V, class F>
    static void walk_padding(const TileView<V>& t, F&& f) {
        EllBlock::walk_padding(t.rows, t.entry.parameter(), has_holes(t.rows, t.entry), t.index, f);
    }

    static int mask_bytes(int rows, int /*cols*/, TileEntry e) {
        return has_holes(rows, e) ? kMaskBytes * e.parameter() : 0;
    }

    static bool shape_ok(int rows, int /*cols*/, TileEntry e, const std::uint8_t* index) {
        const int width = e.parameter();
        const int coo = coo_nnz(rows, e);
        return width >= 1 && coo >= 0 && coo <= e.nnz() &&
               e.index_bytes() == EllBlock::index_bytes(rows, width, has_holes(rows, e)) + coo &&
               EllBlock::is_canonical(rows, width, has_holes(rows, e), index) && rest_ok(rows, e, index);
    }

private:
    /// Whether the COO part ascends and has no nonzero of a row that is not full in the block.
    static bool rest_ok(int rows, TileEntry e, const std::uint8_t* index) {
        const int coo = coo_nnz(rows, e);
        const unsigned full =
            has_holes(rows, e) ? EllBlock::row_mask(rows, e.parameter(), index, e.parameter() - 1) : 0xffffu;
        const std::uint8_t* positions = index + e.index_bytes() - coo;
        bool ok = true;
        for (int k = 0; k < coo; ++k) {
            ok = ok && (k == 0 || positions[k - 1] < positions[k]) && (full >> (positions[k] >> 4) & 1u);
        }
        return ok;
    }

    /// Eight rows at a time: a byte's top bit comes up where its row has more than `length` nonzeros.
    static int rows_longer_than(const TilePattern& p, int length) {
        constexpr std::uint64_t ones = 0x0101010101010101u;
        std::uint64_t rows = 0;
        for (const std::uint64_t counts : std::bit_cast<std::array<std::uint64_t, 2>>(p.row_counts)) {
            rows += (counts + ones * static_cast<std::uint64_t>(127 - length)) >> 7 & ones;
        }
        return static_cast<int>(rows * ones >> 56);
    }

    static TileSize size_of_width(const TilePattern& p, int width, int in_block) {
        const int coo = p.nnz - in_block;
        const int block = p.rows * width;
        return {block + coo, EllBlock::index_bytes(p.rows, width, in_block < block) + coo, width};
    }
};
static_assert(Format<Hyb>);

}  // namespace tilespmv::formats
