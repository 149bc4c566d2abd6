#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "formats/list.hpp"
#include "tile/csr.hpp"
#include "tile/tile_matrix.hpp"
#include "tile/tile_pattern.hpp"

namespace tilespmv::tools {

/// Cells of a grid that are not empty, by rows.
struct CellGrid {
    std::vector<index_t> rows;           ///< that have cells, ascending
    std::vector<std::size_t> begins{0};  ///< rows + 1; first cell of each
    std::vector<index_t> cols;           ///< of the cells, ascending within a row
    std::vector<std::uint32_t> ids;      ///< of the cells: what is in them

    void add(index_t row, index_t col, std::uint32_t id);
    /// Calls f(row, cell) for all cells, in order.
    template <class F>
    void for_each(F&& f) const {
        for (std::size_t k = 0; k < rows.size(); ++k) {
            for (std::size_t cell = begins[k]; cell < begins[k + 1]; ++cell) f(rows[k], cell);
        }
    }
};

/// The pattern of a tile, and what was made of it; many tiles are the same in that.
struct TileShape {
    static constexpr std::uint8_t kDeferred = formats::kFormatCount;

    std::array<std::uint16_t, kTileSize> masks{};
    std::uint8_t rows = kTileSize;
    std::uint8_t cols = kTileSize;
    std::uint8_t format = 0;  ///< or kDeferred: all of its nonzeros are
    std::uint8_t part = 0;  ///< so many nonzeros of each row are in the tile, the others are deferred; 0: all are in it

    [[nodiscard]] TilePattern pattern() const;
    friend bool operator==(const TileShape&, const TileShape&) = default;
};
static_assert(sizeof(TileShape) == 36);  // hashed as bytes

/// The tiles of the grid over a matrix that hold nonzeros; ids are those of their shapes.
struct TileList {
    std::vector<TileShape> shapes;
    std::vector<int> nnz;  ///< of the shapes
    CellGrid tiles;
};

/// `tiles` is what was made of `a`. Throws `Error` if `a` breaks an invariant of `CsrMatrix`.
template <Value V>
TileList list_tiles(const CsrMatrix<V>& a, const TileMatrix<V>& tiles);

}  // namespace tilespmv::tools
