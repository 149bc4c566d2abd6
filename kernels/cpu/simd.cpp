#include "kernels/cpu/simd.hpp"

#include <algorithm>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/cpu/simd.cpp"
#include <hwy/foreach_target.h>

#include "kernels/cpu/columns-inl.hpp"
#include "kernels/cpu/coo-inl.hpp"
#include "kernels/cpu/dia-inl.hpp"
#include "kernels/cpu/ell-inl.hpp"
#include "kernels/cpu/row_dot-inl.hpp"
#include "kernels/cpu/strip-inl.hpp"
#include "kernels/cpu/tile_row-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace tilespmv::cpu::HWY_NAMESPACE {

/// Where the tiles of a tile row stand in the arenas.
template <Value V>
struct Arena {
    const V* values;
    const std::uint8_t* index;
};

/// One tile of any format and size; reads nothing past it.
template <Value V>
HWY_NOINLINE void walk_tile(const TileView<V>& t, const V* x, double* sums) {
    formats::visit_format(t.entry.format(), [&]<class F>() {
        F::walk(t, [&](int r, int c, int place) {
            sums[r] += static_cast<double>(t.values[place]) * static_cast<double>(x[c]);
        });
    });
}

/// End of the first tiles of the span, those that vector loads may overrun without leaving the arenas.
template <Value V>
offset_t safe_end(const TileMatrix<V>& a, Span tiles, offset_t values_left, offset_t index_bytes_left) {
    constexpr int slack = FullTile<V>::kSlack;
    offset_t end = tiles.end;
    for (offset_t i = tiles.end; i > tiles.begin && (values_left < slack || index_bytes_left < slack);) {
        const TileEntry entry = a.tiles[--i];
        if (values_left < slack || entry.index_bytes() > 0) end = i;
        values_left += entry.values();
        index_bytes_left += entry.index_bytes();
    }
    return end;
}

template <Value V>
HWY_NOINLINE void walk_tiles(const TileMatrix<V>& a, Span tiles, int height, const V* x, Arena<V> at, double* sums) {
    for (offset_t i = tiles.begin; i < tiles.end; ++i) {
        const TileEntry entry = a.tiles[i];
        walk_tile(TileView<V>{height, a.tile_width(entry.column()), entry, at.values, at.index},
                  x + offset_t{entry.column()} * kTileSize, sums);
        at.values += entry.values();
        at.index += entry.index_bytes();
    }
}

/// Adds tiles of one tile row that stand at `begin` to `end` in the arenas.
template <Value V>
HWY_INLINE void add_tile_span(const TileMatrix<V>& a, Span tiles, int height, const V* x, Arena<V> at,
                              [[maybe_unused]] Arena<V> end, double* sums) {
#if HWY_TARGET == HWY_SCALAR  // no vectors
    walk_tiles(a, tiles, height, x, at, sums);
#else
    offset_t fast_end = tiles.begin;
    if (height == kTileSize) {
        fast_end = safe_end(a, tiles, a.values.end() - end.values, a.indices.end() - end.index);
        if (fast_end > tiles.begin && a.tile_width(a.tiles[fast_end - 1].column()) < kTileSize) --fast_end;
    }
    typename TileRowSums<V>::Scratch scratch;
    TileRowSums<V> row(sums, scratch);
    const auto last = static_cast<offset_t>(a.tiles.size()) - 1;
    for (offset_t i = tiles.begin; i < fast_end; ++i) {
        const TileEntry entry = a.tiles[i];
        const V* later = x + offset_t{a.tiles[std::min(i + kTilePrefetchDistance, last)].column()} * kTileSize;
        __builtin_prefetch(later, 0, 3);
        if (sizeof(V) * kTileSize > 64) __builtin_prefetch(later + kTileSize / 2, 0, 3);
        const FullTile<V> tile{entry, at.values, at.index, x + offset_t{entry.column()} * kTileSize};
        if (!row.add(tile)) walk_tile(TileView<V>{height, kTileSize, entry, at.values, at.index}, tile.x, sums);
        at.values += entry.values();
        at.index += entry.index_bytes();
    }
    row.finish();
    if (fast_end < tiles.end) walk_tiles(a, {fast_end, tiles.end}, height, x, at, sums);
#endif
}

template <Value V>
void add_tile_rows(const TileMatrix<V>& a, Span tile_rows, index_t first_row, const V* x, double* sums) {
    for (offset_t k = tile_rows.begin; k < tile_rows.end; ++k) {
        const index_t id = a.tile_rows[k];
        const auto arena = [&](offset_t i) {
            return Arena<V>{a.values.data() + a.value_ptrs[i], a.indices.data() + a.index_ptrs[i]};
        };
        add_tile_span(a, {a.tile_ptrs[k], a.tile_ptrs[k + 1]}, a.tile_height(id), x, arena(k), arena(k + 1),
                      sums + (offset_t{id} * kTileSize - first_row));
    }
}

template <Value V>
void add_tiles(const TileMatrix<V>& a, const Piece& piece, int height, const V* x, double* sums) {
    Arena<V> at{a.values.data() + piece.values, a.indices.data() + piece.index_bytes};
    add_tile_span(a, piece.tiles, height, x, at,
                  Arena<V>{a.values.data() + piece.values_end, a.indices.data() + piece.index_end}, sums);
}

template <Value V>
const SimdKernels<V>* table() {
    static_assert(kPanelColumns <= SimdKernels<V>::kMostPanelColumns);
    static constexpr SimdKernels<V> kernels{
        HWY_TARGET,         kLanes,           &add_csr<V>,       kPanelColumns, &sum_csr_columns<V>,
        &finish_columns<V>, &copy_to_rows<V>, &add_tile_rows<V>, &add_tiles<V>, &multiply_strips<V>,
        &add_dia<V>,        &add_ell<V>,      &sum_coo<V>};
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
