#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <string_view>

#include "tile/tile_matrix.hpp"
#include "tile/tile_pattern.hpp"

namespace tilespmv::formats {

/// The contract of a per-tile format: a stateless struct of static functions, which throw nothing and keep no pointer,
/// with
///
///  - `name`: unique, lower case; what files and the command line call it.
///  - `size(pattern, value_bytes)`: what the tile takes, or nothing if the format cannot hold it. `pattern` is counted
///    and holds at least one nonzero; `value_bytes` is the size of one value, for formats that weigh padding.
///  - `pack(pattern, size, in, values, index)`: writes all `size.values` values (padding: V{}) and all
///    `size.index_bytes` bytes. `in` holds the nonzeros in row-major order.
///  - `walk(tile, f)`: f(row, col, place) once for every nonzero (never for padding), the columns of a row ascending;
///    the value is tile.values[place]. A place is one of the `size.values` stored values. The host walks
///    tiles to unpack them, to multiply them where there is no vector routine, and to lower them for the GPU operator
///    `tile`. `tile-warp` walks on the GPU, hence TILESPMV_HD, the tiles of formats that have no routine there.
///  - `shape_ok(rows, cols, entry, index)`: whether sizes, parameter and index bytes agree so far that `walk` stays
///    within them, and whether the index bytes are those that `pack` writes for these nonzeros and sizes: there is one
///    encoding. `is_valid` below checks where the nonzeros are, unless the format has a member `kShapeIsAll`.
///
/// if it has padding,
///
///  - `walk_padding(tile, f)`: f(place) once for every place that is no nonzero of a valid tile,
///  - `mask_bytes(rows, cols, entry)`: how many of its index bytes are masks that tell padding from nonzeros: as many
///  as
///    a tile of the same places and parameter without padding has fewer,
///
/// and, if it pays,
///
///  - `kVectorRoutine = true`: the CPU has a vector routine for it (`add_tile` in `kernels/cpu/tile_row-inl.hpp`).
///  - `pass_sure(tiles, id)`: passes over the next tiles as far as they are valid at a glance; see `pass_valid`.
template <class F>
concept Format = requires(const TilePattern& pattern, TileSize size, const double* in, double* values,
                          std::uint8_t* index, TileView<double> tile, void (*f)(int, int, int), TileEntry entry) {
    { F::name } -> std::convertible_to<std::string_view>;
    { F::size(pattern, 8) } -> std::same_as<std::optional<TileSize>>;
    F::pack(pattern, size, in, values, index);
    F::walk(tile, f);
    { F::shape_ok(16, 16, entry, index) } -> std::same_as<bool>;
};

template <class F>
concept PaddedFormat = Format<F> && requires(TileView<double> tile, void (*f)(int), TileEntry entry) {
    F::walk_padding(tile, f);
    { F::mask_bytes(16, 16, entry) } -> std::same_as<int>;
};

/// Whether the CPU multiplies tiles of format F by a vector routine, instead of one nonzero after the other.
template <Format F>
inline constexpr bool has_vector_routine = requires {
    requires F::kVectorRoutine;
};

/// Whether a tile of unknown origin is safe and sound in format F: every nonzero inside rows x cols, columns of a row
/// ascending, as many nonzeros as the entry says.
template <Format F>
[[gnu::always_inline]] inline bool is_valid(int rows, int cols, TileEntry entry, const std::uint8_t* index) {
    if (!F::shape_ok(rows, cols, entry, index)) return false;
    if constexpr (requires { F::kShapeIsAll; }) return true;
    std::array<std::int8_t, kTileSize> last;
    last.fill(-1);
    int nnz = 0;
    bool ok = true;
    F::walk(TileView<double>{rows, cols, entry, nullptr, index}, [&](int row, int col, int place) {
        ok = ok && row < rows && col < cols && col > last[row] && place < entry.values();
        last[row] = static_cast<std::int8_t>(col);
        ++nnz;
    });
    return ok && nnz == entry.nnz();
}

/// Whether all bits of the padding of a valid tile are 0, so that kernels may multiply it. Bits: an unsigned integer of
/// the size of a value.
template <Format F, std::unsigned_integral Bits>
bool padding_is_zero(const TileView<double>& tile, const std::byte* values) {
    Bits found = 0;
    if constexpr (PaddedFormat<F>) {
        F::walk_padding(tile, [&](int place) {
            Bits value;
            std::memcpy(&value, values + place * static_cast<int>(sizeof(Bits)), sizeof(Bits));
            found = static_cast<Bits>(found | value);
        });
    } else {
        found = 1;  // there should be none
    }
    return found == 0;
}

/// The same for the next tile of those to be checked; one without padding is passed at once.
template <Format F>
bool padding_is_zero(const UncheckedTiles& t, int cols) {
    if (t.tile->nnz() == t.tile->values()) return true;
    const TileView<double> tile{t.rows, cols, *t.tile, nullptr, t.index};
    const std::byte* const values = t.values_end - t.values * t.value_bytes;
    switch (t.value_bytes) {
        case 8:
            return padding_is_zero<F, std::uint64_t>(tile, values);
        case 4:
            return padding_is_zero<F, std::uint32_t>(tile, values);
        default:
            return padding_is_zero<F, std::uint16_t>(tile, values);
    }
}

/// `FormatInfo::holds` of format F.
template <Format F>
bool holds(const TileView<double>& tile, int row, int col) {
    bool found = false;
    F::walk(tile, [&](int r, int c, int) { found = found || (r == row && c == col); });
    return found;
}

/// `FormatInfo::mask_bytes` of format F.
template <Format F>
int mask_bytes(int rows, int cols, TileEntry entry) {
    if constexpr (PaddedFormat<F>) return F::mask_bytes(rows, cols, entry);
    return 0;
}

/// `FormatInfo::pass_valid` of format F: a loop of its own for each format, since archives hold tiles by the million.
template <Format F>
void pass_valid(UncheckedTiles& tiles, int id) {
    UncheckedTiles t = tiles;
    for (;; ++t.tile) {
        if constexpr (requires { F::pass_sure(t, id); }) F::pass_sure(t, id);
        if (t.tile == t.end || t.tile->format() != id) break;
        const TileEntry e = *t.tile;
        const offset_t cols = t.cols - offset_t{e.column()} * kTileSize;
        if (e.column() <= t.column || cols <= 0 || e.values() > t.values || e.index_bytes() > t.index_end - t.index) {
            break;
        }
        const bool full = t.rows == kTileSize && cols >= kTileSize;  // lets the compiler leave out most comparisons
        const int width = static_cast<int>(std::min<offset_t>(cols, kTileSize));
        if (!(full ? is_valid<F>(kTileSize, kTileSize, e, t.index) : is_valid<F>(t.rows, width, e, t.index))) break;
        if (!padding_is_zero<F>(t, width)) break;
        t.column = e.column();
        t.values -= e.values();
        t.index += e.index_bytes();
        t.nnz += e.nnz();
    }
    tiles = t;
}

}  // namespace tilespmv::formats
