#pragma once

#include "formats/list.hpp"
#include "kernels/cuda/dependent_launch.cuh"
#include "kernels/cuda/load.cuh"
#include "kernels/cuda/warp.cuh"

/// How a warp multiplies one tile as it is stored: `multiply`, a function for each format. To give a format a routine
/// of its own, overload it; until then the last function here walks its tiles.
///
/// All lanes of the warp call it. It returns what a lane adds to the sum of its row: lanes r and r + 16 have row r and
/// share its nonzeros, those of `t.lane.half` 0 and 1. Padding is read, but what it gives is not added: 0 * Inf is NaN.
namespace tilespmv::cuda {

/// A tile in device memory, as a lane sees it.
template <class V, class A>
struct WarpTile : TileView<V> {
    const V* x;   ///< of the tile's columns, `cols` of them
    A* row_sums;  ///< of the 16 rows, in shared memory: for routines in which a lane's nonzeros are not of its row
    Lane lane;
    int row;  ///< of the lane; the last one if the tile has fewer rows, which nobody writes then
    std::uint64_t cache_policy;

    /// The value at this place times x of this column.
    [[nodiscard]] __device__ A product(int place, int column) const {
        return static_cast<A>(load_once(this->values + place, cache_policy)) * static_cast<A>(load_x(x + column));
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

/// Nonzeros in row-major order, each with a byte for row and column, a lane a nonzero: those of a row are neighbours,
/// whose products are added up to the first of them by shuffles. `first`: the place of the first value.
template <class V, class A>
__device__ void add_places(const WarpTile<V, A>& t, const std::uint8_t* places, int first, int count) {
    for (int at = 0; at < count; at += kWarpSize) {
        const int here = min(count - at, kWarpSize);
        const bool has_one = t.lane.id < here;
        const int place = has_one ? places[at + t.lane.id] : 0;
        const int row = has_one ? place >> 4 : kTileSize;
        A sum = has_one ? t.product(first + at + t.lane.id, place & 15) : A(0);
        __syncwarp();
        for (int step = 1; step < here; step *= 2) {
            const A other = __shfl_down_sync(kAllLanes, sum, step);
            const int other_row = __shfl_down_sync(kAllLanes, row, step);
            if (other_row == row && t.lane.id + step < here) sum += other;
        }
        const int row_before = __shfl_up_sync(kAllLanes, row, 1);
        if (has_one && (t.lane.id == 0 || row_before != row)) t.row_sums[row] += sum;
        __syncwarp();
    }
}

/// coo
template <class V, class A>
__device__ A multiply(formats::Coo, const WarpTile<V, A>& t) {
    add_places(t, t.index, 0, t.entry.nnz());
    return 0;
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
    add_places(t, t.index + t.entry.index_bytes() - rest, t.rows * width, rest);
    return sum;
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
