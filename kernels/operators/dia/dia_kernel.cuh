#pragma once

#include "kernels/cuda/block_product.cuh"
#include "kernels/cuda/dependent_launch.cuh"
#include "kernels/cuda/load.cuh"
#include "kernels/cuda/product.cuh"
#include "kernels/cuda/tuning.hpp"
#include "kernels/operators/dia/dia.hpp"

namespace tilespmv::cuda {

/// A `Dia` in device memory and what it is multiplied with.
template <class V, class A>
struct DiaSpmv : ProductTerms<V, A> {
    const DiaOffsets* offsets = nullptr;
    const std::uint64_t* held = nullptr;
    const V* values = nullptr;
    DiaLayout layout;

    [[nodiscard]] __device__ int diagonals_of(offset_t group) const {
        return static_cast<int>(min(layout.diagonals - group * DiaLayout::kGroup, offset_t{DiaLayout::kGroup}));
    }
    /// x of a row for each diagonal of a group; behind the last row that of a column nearby. Of a place that is not
    /// held it is some x nearby, so that no load depends on what another one gave; its product is left out.
    __device__ void load_factors(V (&factors)[DiaLayout::kGroup], index_t row, const DiaOffsets& offsets,
                                 int count) const {
#pragma unroll
        for (int i = 0; i < DiaLayout::kGroup; ++i) {  // a column left of the first one is a large number
            const unsigned column = static_cast<unsigned>(row) + static_cast<unsigned>(offsets.of[i]);
            if (i < count) factors[i] = load_x(this->x + min(column, static_cast<unsigned>(this->cols) - 1));
        }
    }
};

/// `kRows` rows a thread, a group of diagonals at a time.
template <class V, class A, int kRows>
__global__ void __launch_bounds__(kDiaThreads, kRows == 1 ? 0 : resident(kDiaPairBlocks, kDiaThreads))
    dia_spmv(const __grid_constant__ DiaSpmv<V, A> p) {
    constexpr int kGroup = DiaLayout::kGroup;
    static_assert(DiaLayout::kRows % (kRows * kDiaThreads) == 0);  // places of a thread's rows are in one block
    const unsigned first = blockIdx.x * (kRows * kDiaThreads) + threadIdx.x;
    if (first >= static_cast<unsigned>(p.rows)) return;
    const auto row = static_cast<index_t>(first);
    A sums[kRows] = {};
    for (offset_t group = 0; group < p.layout.groups(); ++group) {
        const int count = p.diagonals_of(group);
        const DiaOffsets offsets = load_wide(p.offsets + group);
        const V* const places = p.values + p.layout.value_at(group * kGroup, row);
        const std::uint64_t* const bits = p.held + p.layout.held_at(group, row);
        std::uint64_t held[kRows];
        V values[kRows][kGroup];
        V factors[kRows][kGroup];
#pragma unroll
        for (int k = 0; k < kRows; ++k) {
            held[k] = load_once(bits + k * kDiaThreads / 8, p.cache_policy) >> row % 8;
#pragma unroll
            for (int i = 0; i < kGroup; ++i) {
                if (i >= count) continue;
                values[k][i] = load_once(places + i * DiaLayout::kRows + k * kDiaThreads, p.cache_policy);
            }
        }
        wait_for_stream();
#pragma unroll
        for (int k = 0; k < kRows; ++k) p.load_factors(factors[k], row + k * kDiaThreads, offsets, count);
#pragma unroll
        for (int k = 0; k < kRows; ++k) {
#pragma unroll
            for (int i = 0; i < kGroup; ++i) {
                if ((held[k] >> 8 * i & 1) == 0) continue;
                sums[k] += static_cast<A>(values[k][i]) * static_cast<A>(factors[k][i]);
            }
        }
    }
    wait_for_stream();  // a matrix without diagonals, too
#pragma unroll
    for (int k = 0; k < kRows; ++k) {
        if (first + k * kDiaThreads < static_cast<unsigned>(p.rows)) p.write(row + k * kDiaThreads, sums[k]);
    }
}

/// A `Dia` in device memory and what its products of several columns are.
template <class V, class A>
struct DiaSpmm : BlockTerms<V, A> {
    const DiaOffsets* offsets = nullptr;
    const std::uint64_t* held = nullptr;
    const V* values = nullptr;
    DiaLayout layout;

    /// f(column, value, whether it is held, number in the flight) for the places of a row in kFlight diagonals at a
    /// time, then `add()`. The column of a place that is not held is one nearby.
    template <int kFlight, class Take, class Add>
    __device__ void for_each_flight(std::int64_t row, Take&& take, Add&& add) const {
        for (offset_t group = 0; group < layout.groups(); ++group) {
            const DiaOffsets of_group = load_wide(offsets + group);
            const auto bits = static_cast<std::uint64_t>(load_often(held + layout.held_at(group, row)) >> row % 8);
            const auto count =
                static_cast<int>(min(layout.diagonals - group * DiaLayout::kGroup, offset_t{DiaLayout::kGroup}));
            const V* const places = values + layout.value_at(group * DiaLayout::kGroup, row);
#pragma unroll
            for (int first = 0; first < DiaLayout::kGroup; first += kFlight) {
                if (first >= count) break;
#pragma unroll
                for (int i = 0; i < kFlight; ++i) {
                    const bool is_held = (bits >> 8 * (first + i) & 1) != 0;
                    const unsigned column = static_cast<unsigned>(row) + static_cast<unsigned>(of_group.of[first + i]);
                    const V value =
                        load_once_if(is_held, places + (first + i) * DiaLayout::kRows, this->cache_policy, V{});
                    take(i, column, value, is_held);
                }
                add();
            }
        }
    }
};

/// X in row-major layout.
template <class V, class A, class Shape>
__global__ void __launch_bounds__(kDiaThreads) dia_x_rows(const __grid_constant__ DiaSpmm<V, A> p) {
    const OwnRow<Shape, kDiaThreads> own(p.columns);
    const std::int64_t row = own.row;
    if (!own.is_one || row >= p.rows) return;
    wait_for_stream();
    A sums[Shape::kColumns] = {};
    V values[Shape::kFlight];
    RowPart<V, Shape> x[Shape::kFlight];
    const auto take = [&](int i, unsigned column, V value, bool is_held) {
        values[i] = value;
        x[i] = {};
        if (is_held) x[i].load(p.x.at(column, 0), own.lane, p.columns);
    };
    const auto add = [&] {
#pragma unroll
        for (int i = 0; i < Shape::kFlight; ++i) {
#pragma unroll
            for (int c = 0; c < Shape::kColumns; ++c) {
                sums[c] += static_cast<A>(values[i]) * static_cast<A>(x[i].of(c));
            }
        }
    };
    p.template for_each_flight<Shape::kFlight>(row, take, add);
    write_columns<V, A, Shape>(p, row, own.lane, sums);
}

/// A thread a row, X in column-major layout.
template <class V, class A, int kColumns, int kFlight>
__global__ void __launch_bounds__(kDiaThreads) dia_x_columns(const __grid_constant__ DiaSpmm<V, A> p) {
    const std::int64_t row = std::int64_t{blockIdx.x} * kDiaThreads + threadIdx.x;
    if (row >= p.rows) return;
    wait_for_stream();
    A sums[kColumns] = {};
    V values[kFlight];
    V x[kFlight][kColumns];
    const auto take = [&](int i, unsigned column, V value, bool is_held) {
        values[i] = value;
#pragma unroll
        for (int c = 0; c < kColumns; ++c) x[i][c] = is_held && c < p.columns ? load_x(p.x.at(column, c)) : V{};
    };
    const auto add = [&] {
#pragma unroll
        for (int i = 0; i < kFlight; ++i) {
#pragma unroll
            for (int c = 0; c < kColumns; ++c) sums[c] += static_cast<A>(values[i]) * static_cast<A>(x[i][c]);
        }
    };
    p.template for_each_flight<kFlight>(row, take, add);
#pragma unroll
    for (int c = 0; c < kColumns; ++c) p.template write<1>(row, c, sums + c);
}

}  // namespace tilespmv::cuda
