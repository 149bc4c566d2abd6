#pragma once

#include <array>
#include <concepts>
#include <cstdint>
#include <optional>
#include <string_view>

#include "tile/tile_matrix.hpp"
#include "tile/tile_pattern.hpp"

namespace tilespmv::formats {

/// What a tile takes in a format.
struct TileSize {
    int values = 0;       ///< values stored, padding included; 1 to 256
    int index_bytes = 0;  ///< 0 to 511
    int parameter = 0;    ///< a number of the format's own, kept in the tile's entry; 0 to 127

    [[nodiscard]] int bytes(int value_bytes) const { return values * value_bytes + index_bytes; }
};

/// The contract of a per-tile format: a stateless struct with
///
///  - `name`: unique, lower case; what files and the command line call it.
///  - `size(pattern, value_bytes)`: what the tile takes, or nothing if the format cannot hold it. `pattern` is counted
///    and holds at least one nonzero; `value_bytes` is the size of one value, for formats that weigh padding.
///  - `pack(pattern, size, in, values, index)`: writes all `size.values` values (padding: V{}) and all
///    `size.index_bytes` bytes. `in` holds the nonzeros in row-major order.
///  - `walk(tile, f)`: f(row, col, slot) once for every nonzero (never for padding), the columns of a row ascending;
///    the value is tile.values[slot]. Runs on the device too.
///  - `shape_ok(rows, cols, entry, index)`: whether sizes, parameter and index bytes agree so far that `walk` stays
///    within them. `is_valid` below checks the rest.
template <class F>
concept Format = requires(const TilePattern& pattern, TileSize size, const double* in, double* values,
                          std::uint8_t* index, TileView<double> tile, void (*f)(int, int, int), TileEntry entry) {
    { F::name } -> std::convertible_to<std::string_view>;
    { F::size(pattern, 8) } -> std::same_as<std::optional<TileSize>>;
    F::pack(pattern, size, in, values, index);
    F::walk(tile, f);
    { F::shape_ok(16, 16, entry, index) } -> std::same_as<bool>;
};

/// Whether a tile of unknown origin is safe and sound in format F: every nonzero inside rows x cols, columns of a row
/// ascending, as many nonzeros as the entry says.
template <Format F>
bool is_valid(int rows, int cols, TileEntry entry, const std::uint8_t* index) {
    if (!F::shape_ok(rows, cols, entry, index)) return false;
    std::array<int, kTileSize> last;
    last.fill(-1);
    int nnz = 0;
    bool ok = true;
    F::walk(TileView<double>{rows, cols, entry, nullptr, index}, [&](int row, int col, int slot) {
        ok = ok && row < rows && col < cols && col > last[row] && slot < entry.values();
        last[row] = col;
        ++nnz;
    });
    return ok && nnz == entry.nnz();
}

}  // namespace tilespmv::formats
