#pragma once

#include "formats/list.hpp"
#include "kernels/cuda/load.cuh"
#include "kernels/cuda/warp.cuh"

namespace tilespmv::cuda {

/// A tile of 16 x 16 where x is finite, as nearly all are: padding, which is 0, may be multiplied.
template <class V>
struct FullTile {
    TileEntry entry;
    const V* values;
    const std::uint8_t* index;
};

/// A lane's share of the work on a tile of format F and any size, whatever x holds: every row is walked by one lane.
/// Slow.
template <class F, class V, class A>
__device__ A walk_rows(const TileView<V>& tile, const V* x, Team team, A sum) {
    if (team.part != 0) return sum;
    F::walk(tile, [&](int row, int col, int slot) {
        if (row == team.row) sum += static_cast<A>(tile.values[slot]) * static_cast<A>(x[col]);
    });
    return sum;
}

/// A lane's share of the work on a full tile: its sum of products with its row, added to `sum`. `tile` and `x`, the 16
/// numbers that it meets, lie in shared memory. Half a warp may work on another tile of another format at the same
/// time, so routines must not synchronise or shuffle. Formats without a routine of their own are walked.
template <class F>
struct WarpRoutine {
    template <class V, class A>
    __device__ static A add(const FullTile<V>& t, const V* x, Team team, A sum) {
        return walk_rows<F>(TileView<V>{kTileSize, kTileSize, t.entry, t.values, t.index}, x, team, sum);
    }
};

template <class A, class V>
__device__ A multiply_add(V value, V x, A sum) {
    return sum + static_cast<A>(value) * static_cast<A>(x);
}

template <>
struct WarpRoutine<formats::Dense> {
    template <class V, class A>
    __device__ static A add(const FullTile<V>& t, const V* x, Team team, A sum) {
        const V* values = t.values + team.part * kTileSize + team.row;
        x += team.part;
#pragma unroll 8
        for (int col = 0; col < kTileSize - team.part; col += team.parts) {
            sum = multiply_add(values[col * kTileSize], x[col], sum);
        }
        return sum;
    }
};

template <>
struct WarpRoutine<formats::Csr> {
    template <class V, class A>
    __device__ static A add(const FullTile<V>& t, const V* x, Team team, A sum) {
        const std::uint8_t* cols = t.index + kTileSize;
        const int end = formats::Csr::row_end(t.index, kTileSize, t.entry.nnz(), team.row);
#pragma unroll 2
        for (int k = t.index[team.row] + team.part; k < end; k += team.parts) {
            sum = multiply_add(t.values[k], x[cols[k / 2] >> k % 2 * 4 & 15], sum);
        }
        return sum;
    }
};

/// The column-major block of ELL and HYB.
template <class V, class A>
__device__ A add_ell_block(const FullTile<V>& t, int width, const V* x, Team team, A sum) {
    const V* values = t.values + team.row;
    const std::uint8_t* cols = t.index + team.row / 2;
    const int shift = team.row % 2 * 4;
#pragma unroll 4
    for (int k = team.part; k < width; k += team.parts) {
        sum = multiply_add(values[k * kTileSize], x[cols[k * (kTileSize / 2)] >> shift & 15], sum);
    }
    return sum;
}

template <>
struct WarpRoutine<formats::Ell> {
    template <class V, class A>
    __device__ static A add(const FullTile<V>& t, const V* x, Team team, A sum) {
        return add_ell_block(t, t.entry.parameter(), x, team, sum);
    }
};

/// The ELL block alone; the COO part is batched with that of other tiles.
template <>
struct WarpRoutine<formats::Hyb> {
    template <class V, class A>
    __device__ static A add(const FullTile<V>& t, const V* x, Team team, A sum) {
        return add_ell_block(t, t.entry.parameter(), x, team, sum);
    }
};

template <>
struct WarpRoutine<formats::DenseCol> {
    template <class V, class A>
    __device__ static A add(const FullTile<V>& t, const V* x, Team team, A sum) {
        const int full_cols = t.entry.nnz() / kTileSize;
        const V* values = t.values + team.row;
#pragma unroll 2
        for (int k = team.part; k < full_cols; k += team.parts) {
            sum = multiply_add(values[k * kTileSize], x[t.index[k / 2] >> k % 2 * 4 & 15], sum);
        }
        return sum;
    }
};

template <>
struct WarpRoutine<formats::DenseRow> {
    // Each row starts at another column, so that the rows' reads fall into different banks.
    template <class V, class A>
    __device__ static A add(const FullTile<V>& t, const V* x, Team team, A sum) {
        const int full_rows = t.entry.nnz() / kTileSize;
        int place = -1;
#pragma unroll 1
        for (int k = 0; k < full_rows; ++k) {
            if (formats::get_nibble(t.index, k) == team.row) place = k;
        }
        if (place < 0) return sum;
        const V* values = t.values + place * kTileSize;
#pragma unroll 4
        for (int k = team.part; k < kTileSize; k += team.parts) {
            const int col = (k + team.row) % kTileSize;
            sum = multiply_add(values[col], x[col], sum);
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
            product = static_cast<A>(values[tile_value + at]) * static_cast<A>(load_often(x + col));
        }
        sum = add_entries(product, place / kTileSize, active, products, lane, sum);
    }
    return sum;
}

}  // namespace tilespmv::cuda
