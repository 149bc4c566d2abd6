#pragma once

#include <algorithm>

#include "formats/bits.hpp"
#include "formats/format.hpp"

namespace tilespmv::formats {

/// The column-major block of ELL and of the first part of HYB: place (r, k) is the k-th nonzero of row r, or padding.
/// Index: 4-bit columns in the order of the places (padding: 0), then, if there are holes, one mask per k.
struct EllBlock {
    static int index_bytes(int rows, int width, bool holes) {
        return nibble_bytes(rows * width) + (holes ? kMaskBytes * width : 0);
    }

    /// Packs the first `width` nonzeros of every row; the others go to rest(row, col, value) in row-major order.
    template <class V, class Rest>
    static void pack(const TilePattern& p, int width, bool holes, const V* in, V* values, std::uint8_t* index,
                     Rest&& rest) {
        std::fill_n(values, p.rows * width, V{});
        std::fill_n(index, nibble_bytes(p.rows * width), std::uint8_t{0});
        for (int r = 0; r < p.rows; ++r) {
            int place = r;
            for_each_bit(p.row_masks[r], [&](int c) {
                if (place < p.rows * width) {
                    values[place] = *in;
                    set_nibble(index, place, c);
                } else {
                    rest(r, c, *in);
                }
                place += p.rows;
                ++in;
            });
        }
        if (holes) pack_masks(p, width, index + nibble_bytes(p.rows * width));
    }

    template <class F>
    TILESPMV_HD static void walk(int rows, int width, bool holes, const std::uint8_t* index, F&& f) {
        const std::uint8_t* masks = index + nibble_bytes(rows * width);
        for (int k = 0; k < width; ++k) {
            const unsigned mask = holes ? get_mask(masks, k) : 0xffffu;
            for_each_row(mask, rows, [&](int r) { f(r, get_nibble(index, k * rows + r), k * rows + r); });
        }
    }

    /// f(place) for the places of padding.
    template <class F>
    static void walk_padding(int rows, int width, bool holes, const std::uint8_t* index, F&& f) {
        const std::uint8_t* masks = index + nibble_bytes(rows * width);
        for (int k = 0; holes && k < width; ++k) {
            for_each_hole(get_mask(masks, k), rows, [&](int r) { f(k * rows + r); });
        }
    }

    /// Whether padding is behind the nonzeros of a row, and what the block leaves over in its index bytes is 0: half a
    /// byte, bits of masks, columns of padding.
    static bool is_canonical(int rows, int width, bool holes, const std::uint8_t* index) {
        unsigned longer = (1u << rows) - 1;  // the rows that may have a k-th nonzero
        bool nested = true;
        for (int k = 0; holes && k < width; ++k) {
            nested = nested && (row_mask(rows, width, index, k) & ~longer) == 0;
            longer = row_mask(rows, width, index, k);
        }
        int columns = 0;
        walk_padding(rows, width, holes, index, [&](int place) { columns |= get_nibble(index, place); });
        return spare_nibble_is_zero(index, rows * width) && nested && columns == 0;
    }

    /// The rows that have a k-th nonzero in a block with holes.
    static unsigned row_mask(int rows, int width, const std::uint8_t* index, int k) {
        return get_mask(index + nibble_bytes(rows * width), k);
    }

private:
    static void pack_masks(const TilePattern& p, int width, std::uint8_t* masks) {
        for (int k = 0; k < width; ++k) {
            unsigned mask = 0;
            for (int r = 0; r < p.rows; ++r) mask |= static_cast<unsigned>(p.row_counts[r] > k) << r;
            set_mask(masks, k, mask);
        }
    }
};

/// ELLPACK: as many places in every row as the longest has. Parameter: that width.
struct Ell {
    static constexpr std::string_view name = "ell";
    static constexpr bool kVectorRoutine = true;

    static std::optional<TileSize> size(const TilePattern& p, int /*value_bytes*/) {
        const int values = p.rows * p.longest_row;
        return TileSize{values, EllBlock::index_bytes(p.rows, p.longest_row, p.nnz < values), p.longest_row};
    }

    template <class V>
    static void pack(const TilePattern& p, TileSize size, const V* in, V* values, std::uint8_t* index) {
        EllBlock::pack(p, size.parameter, p.nnz < size.values, in, values, index, [](int, int, V) {});
    }

    template <class V, class F>
    TILESPMV_HD static void walk(const TileView<V>& t, F&& f) {
        EllBlock::walk(t.rows, t.entry.parameter(), t.entry.nnz() < t.entry.values(), t.index, f);
    }

    template <class V, class F>
    static void walk_padding(const TileView<V>& t, F&& f) {
        EllBlock::walk_padding(t.rows, t.entry.parameter(), t.entry.nnz() < t.entry.values(), t.index, f);
    }

    static int mask_bytes(int /*rows*/, int /*cols*/, TileEntry e) {
        return e.nnz() < e.values() ? kMaskBytes * e.parameter() : 0;
    }

    static bool shape_ok(int rows, int /*cols*/, TileEntry e, const std::uint8_t* index) {
        const int width = e.parameter();
        const bool holes = e.nnz() < e.values();
        return width >= 1 && e.values() == rows * width &&
               e.index_bytes() == EllBlock::index_bytes(rows, width, holes) &&
               EllBlock::is_canonical(rows, width, holes, index);
    }
};
static_assert(Format<Ell>);

}  // namespace tilespmv::formats
