#pragma once

#include "formats/list.hpp"
#include "kernels/cuda/load.cuh"
#include "kernels/cuda/warp.cuh"

/// How a warp multiplies one tile as it is stored: `multiply`, a function for each format. To give a format a routine
/// of its own, overload it; until then the last function here walks its tiles.
///
/// All lanes of the warp call it. It returns what a lane adds to the sum of its row: lanes r and r + 16 have row r and
/// share its nonzeros, those of `t.lane.half` 0 and 1. Padding is read, but what it gives is not added: 0 * Inf is NaN.
namespace tilespmv::cuda {

/// A tile as a lane sees it: values in device memory, index bytes and x in shared memory.
template <class V, class A>
struct WarpTile : TileView<V> {
    const V* x;   ///< of the tile's columns, `cols` of them, in shared memory
    A* products;  ///< room for 32 in shared memory
    Lane lane;
    int row;  ///< of the lane; the last one if the tile has fewer rows, which nobody writes then
    std::uint64_t cache_policy;

    /// The value at this place times x of this column.
    [[nodiscard]] __device__ A product(int place, int column) const {
        return static_cast<A>(load_once(this->values + place, cache_policy)) * static_cast<A>(x[column]);
    }
};

/// Where a value of the tile stands, and whether it is a nonzero.
struct TilePlace {
    int place;
    int column;
    bool is_held = true;
};

/// What one of the two lanes of a row has to add: the products of the places f(k) for k = first, first + 2, ..., below
/// `end`. Four are under way at once: their columns are asked for before the first value; those behind the end repeat
/// the first of the four.
template <class V, class A, class F>
__device__ A sum_of_every_other(const WarpTile<V, A>& t, int first, int end, F&& f) {
    constexpr int in_flight = 4;
    A sum = 0;
#pragma unroll 1
    for (int at = first; at < end; at += 2 * in_flight) {
        TilePlace places[in_flight];
#pragma unroll
        for (int i = 0; i < in_flight; ++i) {
            const bool is_inside = at + 2 * i < end;
            places[i] = f(is_inside ? at + 2 * i : at);
            places[i].is_held = places[i].is_held && is_inside;
        }
#pragma unroll
        for (int i = 0; i < in_flight; ++i) {
            const A product = t.product(places[i].place, places[i].column);
            if (places[i].is_held) sum += product;
        }
    }
    return sum;
}

/// dense: a column after the other, half of them for each lane of a row.
template <class V, class A>
__device__ A multiply(formats::Dense, const WarpTile<V, A>& t) {
    if (t.entry.nnz() == TileEntry::kMaxValues) {
        A sum = 0;
#pragma unroll
        for (int i = 0; i < kTileSize / 2; ++i) {
            const int column = 2 * i + t.lane.half;
            sum += t.product(column * kTileSize + t.row, column);
        }
        return sum;
    }
    const bool has_holes = t.entry.index_bytes() > 0;
    return sum_of_every_other(t, t.lane.half, t.cols, [&](int column) {
        const unsigned mask = has_holes ? formats::get_mask(t.index, column) : 0xffffu;
        return TilePlace{column * t.rows + t.row, column, (mask >> t.row & 1u) != 0};
    });
}

/// csr: two lanes have a row, and take its nonzeros in turn.
template <class V, class A>
__device__ A multiply(formats::Csr, const WarpTile<V, A>& t) {
    const std::uint8_t* const columns = t.index + t.rows;
    const int end = formats::Csr::row_end(t.index, t.rows, t.entry.nnz(), t.row);
    return sum_of_every_other(t, t.index[t.row] + t.lane.half, end, [&](int k) {
        return TilePlace{k, formats::get_nibble(columns, k)};
    });
}

/// Nonzeros with a byte for row and column each, a lane a nonzero: products go into shared memory, from where the two
/// lanes of a row take those of it in turn. `first`: the place of the first value.
template <class V, class A>
__device__ A multiply_places(const WarpTile<V, A>& t, const std::uint8_t* places, int first, int count) {
    A sum = 0;
#pragma unroll 1
    for (int at = 0; at < count; at += kWarpSize) {
        const int own = at + t.lane.id;
        if (own < count) t.products[t.lane.id] = t.product(first + own, places[own] & 15);
        __syncwarp();
        const int here = min(count - at, kWarpSize);
#pragma unroll 2
        for (int k = t.lane.half; k < here; k += 2) {
            if (places[at + k] >> 4 == t.lane.row) sum += t.products[k];
        }
        __syncwarp();
    }
    return sum;
}

/// coo
template <class V, class A>
__device__ A multiply(formats::Coo, const WarpTile<V, A>& t) {
    return multiply_places(t, t.index, 0, t.entry.nnz());
}

/// The block of ell and of the first part of hyb: a place of every row after the other.
template <class V, class A>
__device__ A multiply_block(const WarpTile<V, A>& t, int width, bool has_holes) {
    const std::uint8_t* const masks = t.index + formats::nibble_bytes(t.rows * width);
    return sum_of_every_other(t, t.lane.half, width, [&](int k) {
        const int place = k * t.rows + t.row;
        const unsigned mask = has_holes ? formats::get_mask(masks, k) : 0xffffu;
        return TilePlace{place, formats::get_nibble(t.index, place), (mask >> t.row & 1u) != 0};
    });
}

/// ell
template <class V, class A>
__device__ A multiply(formats::Ell, const WarpTile<V, A>& t) {
    return multiply_block(t, t.entry.parameter(), t.entry.nnz() < t.entry.values());
}

/// hyb
template <class V, class A>
__device__ A multiply(formats::Hyb, const WarpTile<V, A>& t) {
    const int width = t.entry.parameter();
    const int rest = formats::Hyb::coo_nnz(t.rows, t.entry);
    const A sum = multiply_block(t, width, formats::Hyb::has_holes(t.rows, t.entry));
    return sum + multiply_places(t, t.index + t.entry.index_bytes() - rest, t.rows * width, rest);
}

/// dense_row: each half of the warp takes every other full row, a lane a column.
template <class V, class A>
__device__ A multiply(formats::DenseRow, const WarpTile<V, A>& t) {
    const int full_rows = t.entry.nnz() / t.cols;
    const int column = t.lane.row;
    A sum = 0;
    for (int at = 0; at < full_rows; at += 2) {
        const int k = at + t.lane.half;
        A product = 0;
        if (k < full_rows && column < t.cols) product = t.product(k * t.cols + column, column);
        __syncwarp();
        product = sum_of_lanes<kTileSize>(product);
        if (k < full_rows && formats::get_nibble(t.index, k) == t.lane.row) sum += product;
    }
    return sum;
}

/// dense_col: a full column after the other, half of them for each lane of a row.
template <class V, class A>
__device__ A multiply(formats::DenseCol, const WarpTile<V, A>& t) {
    const int full_columns = t.entry.nnz() / t.rows;
    return sum_of_every_other(t, t.lane.half, full_columns, [&](int k) {
        return TilePlace{k * t.rows + t.row, formats::get_nibble(t.index, k)};
    });
}

/// Any other format: the first lane of each row walks the tile and takes the nonzeros of its row.
template <class F, class V, class A>
__device__ A multiply(F, const WarpTile<V, A>& t) {
    A sum = 0;
    F::walk(static_cast<const TileView<V>&>(t), [&](int row, int column, int place) {
        if (t.lane.id == row) sum += t.product(place, column);
    });
    return sum;
}

}  // namespace tilespmv::cuda
