#pragma once

#include <algorithm>
#include <cstring>

#include "formats/bits.hpp"
#include "formats/format.hpp"

namespace tilespmv::formats {

/// The nonzeros in row-major order. Index: one byte per nonzero, its position row << 4 | col. Parameter: 1 tells
/// kernels that the positions are next to each other on a diagonal, as those of grids are.
struct Coo {
    static constexpr std::string_view name = "coo";
    static constexpr bool kVectorRoutine = true;

    static std::optional<TileSize> size(const TilePattern& p, int /*value_bytes*/) {
        return TileSize{p.nnz, p.nnz, p.nnz >= kLeastDiagonal && p.nnz <= kTileSize && is_diagonal(p) ? 1 : 0};
    }

    template <class V>
    static void pack(const TilePattern& p, TileSize size, const V* in, V* values, std::uint8_t* index) {
        if (size.parameter == 1)
            return p.nnz < 8 ? pack_diagonal<4>(p, in, values, index) : pack_diagonal<8>(p, in, values, index);
        std::copy_n(in, size.values, values);
        p.for_each_row([&](int r) {
            for_each_bit(p.row_masks[r], [&](int c) { *index++ = static_cast<std::uint8_t>(r << 4 | c); });
        });
    }

    template <class V, class F>
    TILESPMV_HD static void walk(const TileView<V>& t, F&& f) {
        for (int k = 0; k < t.entry.nnz(); ++k) f(t.index[k] >> 4, t.index[k] & 15, k);
    }

    /// Positions that ascend inside the tile are all there is to check.
    static constexpr bool kShapeIsAll = true;
    static bool shape_ok(int rows, int cols, TileEntry e, const std::uint8_t* index) {
        const int nnz = e.nnz();
        if (e.values() != nnz || e.index_bytes() != nnz || e.parameter() > 1) return false;
        bool ok = index[nnz - 1] >> 4 < rows && (index[0] & 15) < cols;
        for (int k = 1; k < nnz; ++k) ok = ok && index[k] > index[k - 1] && (index[k] & 15) < cols;
        return ok && (!is_diagonal(e) || (nnz >= kLeastDiagonal && is_diagonal(index, nnz)));
    }

    /// Full tiles of up to 8 nonzeros, without a branch that depends on how many they are.
    static void pass_sure(UncheckedTiles& t, int id) {
        const auto full_columns = static_cast<std::uint64_t>(t.cols / kTileSize);
        const TileEntry* tile = t.tile;
        const std::uint8_t* index = t.index;
        const std::uint8_t* const end = index + std::min<offset_t>(t.values, t.index_end - index);
        auto column = static_cast<std::uint64_t>(t.column) + 1;  // the least that the next one may have
        if (t.rows < kTileSize || column >= full_columns) return;
        const auto single = std::bit_cast<std::uint64_t>(TileEntry(0, id, 1, 1, 1, 0));
        const auto rest = [&](int i) { return std::bit_cast<std::uint64_t>(tile[i]) - single; };
        while (tile < t.end && end - index >= 8) {
            if (t.end - tile >= 4 && (column <= rest(0)) & (rest(0) < rest(1)) & (rest(1) < rest(2)) &
                                         (rest(2) < rest(3)) & (rest(3) < full_columns)) {  // four of one nonzero
                column = rest(3) + 1;
                index += 4;
                tile += 4;
                continue;
            }
            // The entry of 1 + n nonzeros is that of one plus its column plus n in three places.
            const std::uint64_t n = rest(0) >> 32 & 0xffu;
            const std::uint64_t at = rest(0) - n * (std::uint64_t{0x10101} << 32);
            if ((at < column) | (at >= full_columns) | (n >= 8) | !ascend(index, n % 8)) break;
            column = at + 1;
            index += n + 1;
            ++tile;
        }
        const offset_t nonzeros = index - t.index;
        t.tile = tile;
        t.column = static_cast<index_t>(column) - 1;
        t.index = index;
        t.values -= nonzeros;
        t.nnz += nonzeros;
    }

    [[nodiscard]] static bool is_diagonal(TileEntry e) { return e.parameter() == 1; }

private:
    static constexpr int kLeastDiagonal = 4;     // nonzeros; fewer are not worth a routine of their own
    static constexpr int kStep = kTileSize + 1;  // between neighbouring positions

    /// Whether each of the first n < 8 bytes is below the one behind it. Subtracting in bytes whose top bits are set
    /// for the purpose tells it of the other bits.
    static bool ascend(const std::uint8_t* index, std::uint64_t n) {
        std::uint64_t here = 0;
        std::memcpy(&here, index, sizeof(here));
        const std::uint64_t next = here >> 8;
        constexpr std::uint64_t top = 0x8080808080808080u;
        const std::uint64_t descends = (here & ~next) | (~(here ^ next) & ((here | top) - (next & ~top)));
        return (descends & top & ((std::uint64_t{1} << 8 * n) - 1)) == 0;
    }

    /// One nonzero in each of as many consecutive rows as there are nonzeros, all on the diagonal of the first.
    static bool is_diagonal(const TilePattern& p) {
        if (p.longest_row > 1) return false;
        const int first = p.first_row();
        if (p.last_row() - first + 1 != p.nnz) return false;
        const std::uint16_t* const diagonal =
            kDiagonals.data() + kTileSize + std::countr_zero(p.row_masks[first]) - first;
        unsigned others = 0;
        for (int r = 0; r < kTileSize; ++r) others |= p.row_masks[r] & ~unsigned{diagonal[r]};
        return others == 0;
    }
    static bool is_diagonal(const std::uint8_t* index, int nnz) {
        if (std::max(index[0] >> 4, index[0] & 15) + nnz > kTileSize) return false;
        for (int k = 1; k < nnz; ++k) {
            if (index[k] - index[k - 1] != kStep) return false;
        }
        return true;
    }

    /// kPart to 2 kPart nonzeros: the first kPart of them and the last, in moves of fixed size.
    template <int kPart, class V>
    static void pack_diagonal(const TilePattern& p, const V* in, V* values, std::uint8_t* index) {
        const int first = p.first_row() << 4 | std::countr_zero(p.row_masks[p.first_row()]);
        for (const int k : {0, p.nnz - kPart}) {
            std::array<std::uint8_t, kPart> places;
            for (int i = 0; i < kPart; ++i) places[i] = static_cast<std::uint8_t>(first + kStep * (k + i));
            std::memcpy(index + k, places.data(), kPart);
            std::memcpy(values + k, in + k, kPart * sizeof(V));
        }
    }

    /// The row masks of the main diagonal of a tile, from kTileSize on, and of those beside it before and after.
    static constexpr auto kDiagonals = [] {
        std::array<std::uint16_t, 3 * kTileSize> masks{};
        for (int c = 0; c < kTileSize; ++c) masks[kTileSize + c] = static_cast<std::uint16_t>(1u << c);
        return masks;
    }();
};
static_assert(Format<Coo>);

}  // namespace tilespmv::formats
