#include "tests/tile/archive/sample_tiles.hpp"

#include "formats/list.hpp"
#include "tests/support/battery.hpp"

namespace tilespmv::test {
namespace {

using Positions = std::set<std::pair<index_t, index_t>>;

/// Defers tiles of one or two nonzeros; gives the others formats in turn, by their number of nonzeros.
class Turns : public TilePolicy {
public:
    [[nodiscard]] TileChoice choose(const TilePattern& p, int value_bytes) const override {
        for (std::size_t i = 0;; ++i) {
            const int id = formats::format_id(kSampleFormats[(p.nnz + i) % kSampleFormats.size()]);
            std::optional<formats::TileSize> size;
            formats::visit_format(id, [&]<class F>() { size = F::size(p, value_bytes); });
            if (size) return {id, *size, p.nnz <= 2};
        }
    }
    [[nodiscard]] bool may_defer() const override { return true; }
};

/// The first `nnz` positions of a fixed scatter over the tile, those outside rows x cols left out.
void scatter(Positions& positions, index_t tile_row, index_t tile_col, int nnz, int rows = 16, int cols = 16) {
    for (int k = 0; k < nnz; ++k) {
        const int r = k * 5 % kTileSize;
        const int c = (k * 3 + k / kTileSize) % kTileSize;
        if (r < rows && c < cols) positions.emplace(tile_row * kTileSize + r, tile_col * kTileSize + c);
    }
}

template <Value V>
TileMatrix<V> tiles_of(const CsrMatrix<double>& a, bool wide_offsets = false) {
    if constexpr (std::same_as<V, double>) {
        return convert(a, Turns(), wide_offsets);
    } else {
        return convert(convert_values<V>(a), Turns(), wide_offsets);
    }
}

CsrMatrix<double> sample_csr() {
    Positions positions;
    for (int format = 0; format < 7; ++format) {
        scatter(positions, format / 3, format % 3, 21 + format);
    }
    for (int k = 0; k < 16; ++k) {
        for (int full = 0; full < 6; ++full) positions.emplace(16 + 2 * full, 48 + k);  // 96 nonzeros: dense_row
        for (int full = 0; full < 3; ++full) positions.emplace(48 + k, 16 + 5 * full);  // 48 nonzeros: dense_col
    }
    scatter(positions, 3, 3, 256);
    scatter(positions, 4, 1, 24, 6, 16);
    scatter(positions, 4, 2, 34, 6, 16);
    scatter(positions, 2, 4, 24, 16, 11);
    scatter(positions, 3, 4, 20, 16, 11);
    scatter(positions, 4, 4, 33, 6, 11);
    for (const index_t row : {3, 9}) positions.emplace(row, 74);
    positions.emplace(3, 60);
    positions.emplace(40, 50);
    return testing::matrix_of(70, 75, positions);
}

}  // namespace

template <Value V>
TileMatrix<V> sample_tiles() {
    return tiles_of<V>(sample_csr());
}

template <Value V>
TileMatrix<V> sample_with_all_rows_deferred(bool wide_offsets) {
    Positions positions;
    for (index_t r = 0; r < 20; ++r) positions.emplace(r, r * kTileSize + r % 5);
    scatter(positions, 0, 24, 256, 16, 10);
    return tiles_of<V>(testing::matrix_of(20, 394, positions), wide_offsets);
}

#define TILESPMV_INSTANTIATE(V)            \
    template TileMatrix<V> sample_tiles(); \
    template TileMatrix<V> sample_with_all_rows_deferred(bool);
TILESPMV_FOR_EACH_VALUE(TILESPMV_INSTANTIATE)

}  // namespace tilespmv::test
