#pragma once

#include "formats/list.hpp"
#include "kernels/cuda/warp.cuh"

namespace tilespmv::cuda {

/// A tile of 16 x 16, as nearly all are: the same as a TileView, with a size that the compiler knows.
template <class V>
struct FullTile {
    static constexpr int rows = kTileSize;
    static constexpr int cols = kTileSize;
    TileEntry entry;
    const V* values;
    const std::uint8_t* index;
};

template <class V>
__device__ TileView<V> view_of(const FullTile<V>& t) {
    return {t.rows, t.cols, t.entry, t.values, t.index};
}
template <class V>
__device__ const TileView<V>& view_of(const TileView<V>& t) {
    return t;
}

/// A lane's share of the work on one tile: its sum of products with its row, added to `sum`. `tile` and `x`, the tile's
/// part of x, lie in shared memory. Half a warp may work on another tile of another format at the same time, so
/// routines must not synchronise or shuffle. Formats without a routine of their own are walked by one lane a row, which
/// keeps what belongs to its row: right for any format, but slow.
template <class F>
struct WarpRoutine {
    template <class Tile, class V, class A>
    __device__ static A add(const Tile& tile, const V* x, Team team, A sum) {
        if (team.part != 0) return sum;
        F::walk(view_of(tile), [&](int row, int col, int slot) {
            if (row == team.row) sum += static_cast<A>(tile.values[slot]) * static_cast<A>(x[col]);
        });
        return sum;
    }
};

/// Products whose loads are in flight together where there are many of them.
inline constexpr int kStep = 4;

/// Adds up to `kCount` products at once, loads first, so that they wait together. `ok(i)`, `slot(i)` and `col(i)`
/// describe the i-th; where `ok` is false nothing is read.
template <int kCount, class V, class A, class Ok, class Slot, class Col>
__device__ A add_products(const V* values, const V* x, A sum, Ok ok, Slot slot, Col col) {
    V v[kCount];
    V factor[kCount];
#pragma unroll
    for (int i = 0; i < kCount; ++i) {
        v[i] = ok(i) ? values[slot(i)] : V(0);
        factor[i] = ok(i) ? x[col(i)] : V(0);
    }
#pragma unroll
    for (int i = 0; i < kCount; ++i) sum += static_cast<A>(v[i]) * static_cast<A>(factor[i]);
    return sum;
}

template <>
struct WarpRoutine<formats::Dense> {
    template <class Tile, class V, class A>
    __device__ static A add(const Tile& t, const V* x, Team team, A sum) {
        if (team.row >= t.rows) return sum;
        return t.entry.index_bytes() == 0 ? add_columns<false>(t, x, team, sum) : add_columns<true>(t, x, team, sum);
    }

private:
    template <bool kHoles, class Tile, class V, class A>
    __device__ static A add_columns(const Tile& t, const V* x, Team team, A sum) {
#pragma unroll(kHoles ? 1 : 2)
        for (int first = team.part; first < kTileSize; first += kStep * team.parts) {
            const auto col = [&](int i) { return first + i * team.parts; };
            sum = add_products<kStep>(
                t.values, x, sum,
                [&](int i) {
                    return col(i) < t.cols && (!kHoles || (formats::get_mask(t.index, col(i)) >> team.row & 1u) != 0);
                },
                [&](int i) { return col(i) * t.rows + team.row; }, col);
        }
        return sum;
    }
};

template <>
struct WarpRoutine<formats::Csr> {
    template <class Tile, class V, class A>
    __device__ static A add(const Tile& t, const V* x, Team team, A sum) {
        constexpr int step = 2;
        if (team.row >= t.rows) return sum;
        const std::uint8_t* cols = t.index + t.rows;
        const int end = formats::Csr::row_end(t.index, t.rows, t.entry.nnz(), team.row);
#pragma unroll 1
        for (int k = t.index[team.row] + team.part; k < end; k += step * team.parts) {
            const auto slot = [&](int i) { return k + i * team.parts; };
            sum = add_products<step>(
                t.values, x, sum, [&](int i) { return slot(i) < end; }, slot,
                [&](int i) { return formats::get_nibble(cols, slot(i)); });
        }
        return sum;
    }
};

/// The column-major block of ELL and HYB, kCount columns at a time.
template <int kCount, bool kHoles, class Tile, class V, class A>
__device__ A add_ell_columns(const Tile& t, int width, const V* x, Team team, A sum) {
    const std::uint8_t* masks = t.index + formats::nibble_bytes(t.rows * width);
#pragma unroll 1
    for (int k = team.part; k < width; k += kCount * team.parts) {
        const auto slot = [&](int i) { return (k + i * team.parts) * t.rows + team.row; };
        sum = add_products<kCount>(
            t.values, x, sum,
            [&](int i) {
                const int at = k + i * team.parts;
                return at < width && (!kHoles || (formats::get_mask(masks, at) >> team.row & 1u) != 0);
            },
            slot, [&](int i) { return formats::get_nibble(t.index, slot(i)); });
    }
    return sum;
}

template <class Tile, class V, class A>
__device__ A add_ell_block(const Tile& t, int width, bool holes, const V* x, Team team, A sum) {
    if (team.row >= t.rows) return sum;
    if (holes) return add_ell_columns<kStep, true>(t, width, x, team, sum);
    return width <= team.parts ? add_ell_columns<1, false>(t, width, x, team, sum)
                               : add_ell_columns<kStep, false>(t, width, x, team, sum);
}

template <>
struct WarpRoutine<formats::Ell> {
    template <class Tile, class V, class A>
    __device__ static A add(const Tile& t, const V* x, Team team, A sum) {
        return add_ell_block(t, t.entry.parameter(), t.entry.nnz() < t.entry.values(), x, team, sum);
    }
};

/// The ELL block alone; the COO part is batched with that of other tiles.
template <>
struct WarpRoutine<formats::Hyb> {
    template <class Tile, class V, class A>
    __device__ static A add(const Tile& t, const V* x, Team team, A sum) {
        return add_ell_block(t, t.entry.parameter(), formats::Hyb::has_holes(t.rows, t.entry), x, team, sum);
    }
};

template <>
struct WarpRoutine<formats::DenseCol> {
    template <class Tile, class V, class A>
    __device__ static A add(const Tile& t, const V* x, Team team, A sum) {
        const int full_cols = t.entry.nnz() / t.rows;
        if (team.row >= t.rows) return sum;
#pragma unroll 1
        for (int first = team.part; first < full_cols; first += kStep * team.parts) {
            const auto place = [&](int i) { return first + i * team.parts; };
            sum = add_products<kStep>(
                t.values, x, sum, [&](int i) { return place(i) < full_cols; },
                [&](int i) { return place(i) * t.rows + team.row; },
                [&](int i) { return formats::get_nibble(t.index, place(i)); });
        }
        return sum;
    }
};

template <>
struct WarpRoutine<formats::DenseRow> {
    // Each row starts at another column, so that the rows' reads fall into different banks.
    template <class Tile, class V, class A>
    __device__ static A add(const Tile& t, const V* x, Team team, A sum) {
        const int full_rows = t.entry.nnz() / t.cols;
        int place = -1;
        for (int k = 0; k < full_rows; ++k) {
            if (formats::get_nibble(t.index, k) == team.row) place = k;
        }
        if (place < 0) return sum;
#pragma unroll 1
        for (int first = team.part; first < kTileSize; first += kStep * team.parts) {
            const auto col = [&](int i) { return (first + i * team.parts + 2 * team.row) % kTileSize; };
            sum = add_products<kStep>(
                t.values, x, sum, [&](int i) { return col(i) < t.cols; },
                [&](int i) { return place * t.cols + col(i); }, col);
        }
        return sum;
    }
};

/// Adds the products of up to 32 entries, one a lane, to the lanes of their rows, in the order of the entries.
/// `products` is 32 values of shared memory.
template <class A>
__device__ A add_entries(A product, int row, bool active, A* products, Lane lane, A sum) {
    constexpr unsigned half_lanes = 0xffffu;
    products[lane.id] = product;
    unsigned mine = lanes_of_row(row, active, lane.row) & half_lanes << (lane.half * kTileSize);
    __syncwarp();
#pragma unroll 1
    for (; mine != 0; mine &= mine - 1) sum += products[__ffs(static_cast<int>(mine)) - 1];
    __syncwarp();
    return sum;
}

/// The entries of all tiles that the lanes hold, batched: a lane an entry, whichever tile it belongs to.
/// Per lane: `nnz`, the entries of its tile (COO, or the COO part of HYB); `value` and `byte`, where they start in
/// `values` and `index`; `column`, its tile column. `x` is all of x; `list` is 32 bytes of shared memory.
template <class V, class A>
__device__ A add_coo_tiles(const V* values, const std::uint8_t* index, int nnz, int value, int byte, index_t column,
                           const V* x, A* products, std::uint8_t* list, Lane lane, A sum) {
    const unsigned up_to_me = kAllLanes >> (kWarpSize - 1 - lane.id);
    const int start = static_cast<int>(exclusive_scan(static_cast<unsigned>(nnz), lane));
    const int count = __shfl_sync(kAllLanes, start + nnz, kWarpSize - 1);
    list_lanes(__ballot_sync(kAllLanes, nnz > 0), list, lane);
#pragma unroll 1
    for (int base = 0; base < count; base += kWarpSize) {
        // Which tile an entry belongs to: so many tiles start at or before it.
        const bool starts_here = nnz > 0 && start >= base && start < base + kWarpSize;
        const unsigned heads = __reduce_or_sync(kAllLanes, starts_here ? 1u << (start - base) : 0u);
        const int before = __popc(__ballot_sync(kAllLanes, nnz > 0 && start < base));
        const int tile = list[before + __popc(heads & up_to_me) - 1];
        const int at = base + lane.id - __shfl_sync(kAllLanes, start, tile);
        const index_t tile_column = __shfl_sync(kAllLanes, column, tile);
        const int tile_value = __shfl_sync(kAllLanes, value, tile);
        const int tile_byte = __shfl_sync(kAllLanes, byte, tile);
        const bool active = base + lane.id < count;
        const int place = active ? index[tile_byte + at] : 0;
        A product = 0;
        if (active) {
            const std::int64_t col = std::int64_t{tile_column} * kTileSize + place % kTileSize;
            product = static_cast<A>(values[tile_value + at]) * static_cast<A>(__ldg(x + col));
        }
        sum = add_entries(product, place / kTileSize, active, products, lane, sum);
    }
    return sum;
}

}  // namespace tilespmv::cuda
