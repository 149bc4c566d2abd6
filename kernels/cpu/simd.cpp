#include "kernels/cpu/simd.hpp"

#include <algorithm>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/cpu/simd.cpp"
#include <hwy/foreach_target.h>

#include "kernels/cpu/row_dot-inl.hpp"
#include "kernels/cpu/tile_row-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace tilespmv::cpu::HWY_NAMESPACE {

/// Where the tiles of a tile row stand in the arenas.
template <Value V>
struct Arena {
    const V* values;
    const std::uint8_t* index;
};

/// Adds tiles of one tile row and moves `at` past them. The last tiles of the arenas, which vector loads could
/// overrun, and tile rows of fewer than 16 rows take the scalar path.
template <Value V>
HWY_INLINE void add_tile_span(const TileMatrix<V>& a, Span tiles, int height, const V* x, Arena<V>& at, double* sums) {
    constexpr std::ptrdiff_t slack = TileRowSums<V>::kSlack;
    TileRowSums<V> row(sums);
    for (offset_t i = tiles.begin; i < tiles.end; ++i) {
        TileView<V> tile{height, kTileSize, a.tiles[i], at.values, at.index};
        const V* tile_x = x + offset_t{tile.entry.column()} * kTileSize;
        HWY_ALIGN V edge_x[kTileSize];
        at.values += tile.entry.values();
        at.index += tile.entry.index_bytes();
        tile.cols = a.tile_width(tile.entry.column());
        if (tile.cols < kTileSize) {
            std::fill(std::copy_n(tile_x, tile.cols, edge_x), edge_x + kTileSize, V{0});
            tile_x = edge_x;
        }
        if (height < kTileSize || a.values.end() - at.values < slack || a.indices.end() - at.index < slack) {
            TileRowSums<V>::walk(tile, tile_x, sums);
        } else {
            row.add(tile, tile_x);
        }
    }
    if (height == kTileSize) row.finish();
}

template <Value V>
void add_tile_rows(const TileMatrix<V>& a, Span tile_rows, index_t first_row, const V* x, double* sums) {
    Arena<V> at{a.values.data() + a.value_ptrs[tile_rows.begin], a.indices.data() + a.index_ptrs[tile_rows.begin]};
    for (offset_t k = tile_rows.begin; k < tile_rows.end; ++k) {
        const index_t id = a.tile_rows[k];
        add_tile_span(a, {a.tile_ptrs[k], a.tile_ptrs[k + 1]}, a.tile_height(id), x, at,
                      sums + (offset_t{id} * kTileSize - first_row));
    }
}

template <Value V>
void add_tiles(const TileMatrix<V>& a, const Piece& piece, int height, const V* x, double* sums) {
    Arena<V> at{a.values.data() + piece.values, a.indices.data() + piece.index_bytes};
    add_tile_span(a, piece.tiles, height, x, at, sums);
}

template <Value V>
const SimdKernels<V>* table() {
    static constexpr SimdKernels<V> kernels{&add_csr<V>, &add_tile_rows<V>, &add_tiles<V>};
    return &kernels;
}
const SimdKernels<double>* table_double() { return table<double>(); }
const SimdKernels<float>* table_float() { return table<float>(); }

}  // namespace tilespmv::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace tilespmv::cpu {

HWY_EXPORT(table_double);
HWY_EXPORT(table_float);

template <>
const SimdKernels<double>& simd_kernels() {
    return *HWY_DYNAMIC_DISPATCH(table_double)();
}
template <>
const SimdKernels<float>& simd_kernels() {
    return *HWY_DYNAMIC_DISPATCH(table_float)();
}

}  // namespace tilespmv::cpu
#endif
