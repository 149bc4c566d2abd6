#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>

#include "kernels/cuda/device_operator.hpp"
#include "kernels/cuda/factor.cuh"
#include "tile/types.hpp"

/// What kernels for products of several columns share.
namespace tilespmv::cuda {

/// Most columns of a pass over the matrix by rows of X, and by columns of X.
inline constexpr int kMostRowColumns = 32;
inline constexpr int kMostColumnColumns = 8;

/// Neighbouring values that are loaded or stored at once.
template <class V, int kCount>
struct alignas(sizeof(V) * kCount) Chunk {
    V of[kCount];
};

/// Values of a block in device memory: those of a column are `row_step` apart, those of a row `col_step`.
template <class V>
struct BlockView {
    V* data = nullptr;
    std::int64_t row_step = 0;
    std::int64_t col_step = 0;

    BlockView() = default;
    explicit BlockView(const Block<V>& block)
        : data(block.data),
          row_step(block.layout == Layout::row_major ? static_cast<std::int64_t>(block.ld) : 1),
          col_step(block.layout == Layout::row_major ? 1 : static_cast<std::int64_t>(block.ld)) {}

    [[nodiscard]] __device__ V* at(std::int64_t row, std::int64_t col) const {
        return data + row * row_step + col * col_step;
    }
};

/// A pass over the matrix: Y = alpha * A * X + beta * Y of `columns` columns, all in device memory.
template <class V, class A>
struct BlockTerms {
    BlockView<const V> x;
    BlockView<V> y;
    index_t rows = 0;
    index_t cols = 0;
    int columns = 0;
    bool y_is_wide = false;  ///< rows of Y can be stored in chunks of up to 16 bytes
    Factor alpha;
    Factor beta;
    std::uint64_t cache_policy = 0;

    /// kCount neighbouring columns of a row from `col` on, as far as there are so many. Y is not read if beta is 0.
    template <int kCount>
    __device__ void write(std::int64_t row, int col, const A* sums) const {
        const auto alpha_now = static_cast<A>(alpha.get());
        const auto beta_now = static_cast<A>(beta.get());
        Chunk<V, kCount> results;
#pragma unroll
        for (int i = 0; i < kCount; ++i) {
            A result = alpha_now == A(0) ? A(0) : alpha_now * sums[i];
            if (beta_now != A(0) && col + i < columns) result += beta_now * static_cast<A>(*y.at(row, col + i));
            results.of[i] = static_cast<V>(result);
        }
        if (y_is_wide && col < columns) {
            *reinterpret_cast<Chunk<V, kCount>*>(y.at(row, col)) = results;
            return;
        }
#pragma unroll
        for (int i = 0; i < kCount; ++i) {
            if (col + i < columns) *y.at(row, col + i) = results.of[i];
        }
    }
};

/// How rows of X are multiplied: kLanes neighbouring lanes have a row of the matrix, each of them kColumns columns in
/// chunks of kChunk neighbouring ones; chunk j of lane l is the (j * kLanes + l)-th of the row. kFlight rows of X are
/// asked for at once.
template <int kLanes_, int kColumns_, int kChunk_, int kFlight_>
struct RowShape {
    static constexpr int kLanes = kLanes_;
    static constexpr int kColumns = kColumns_;
    static constexpr int kChunk = kChunk_;
    static constexpr int kFlight = kFlight_;
    /// The i-th column of a lane.
    static __device__ int column(int lane, int i) { return (i / kChunk * kLanes + lane) * kChunk + i % kChunk; }
};

/// A part of a row of X as a lane of a shape has it; columns behind the last one are not loaded.
template <class V, class Shape>
struct RowPart {
    Chunk<V, Shape::kChunk> chunks[Shape::kColumns / Shape::kChunk];

    __device__ void load(const V* row, int lane, int columns) {
#pragma unroll
        for (int j = 0; j < Shape::kColumns / Shape::kChunk; ++j) {
            const int col = Shape::column(lane, j * Shape::kChunk);
            if (col < columns) chunks[j] = *reinterpret_cast<const Chunk<V, Shape::kChunk>*>(row + col);
        }
    }
    [[nodiscard]] __device__ V of(int i) const { return chunks[i / Shape::kChunk].of[i % Shape::kChunk]; }
};

template <class V, class A, class Shape>
__device__ void write_columns(const BlockTerms<V, A>& p, std::int64_t row, int lane, const A* sums) {
#pragma unroll
    for (int c = 0; c < Shape::kColumns; c += Shape::kChunk) {
        p.template write<Shape::kChunk>(row, Shape::column(lane, c), sums + c);
    }
}

/// Values of 16 bytes.
template <class V>
constexpr int kWide = 16 / static_cast<int>(sizeof(V));

/// Columns of a lane where `width` columns are multiplied: 16 bytes of X, 32 where rows of X are 64 bytes and longer,
/// so that fewer lanes load the same values of the matrix.
template <class V>
constexpr int lane_columns(int width) {
    const int wide = width * static_cast<int>(sizeof(V)) >= 64 ? 2 * kWide<V> : kWide<V>;
    return std::min({width, wide, 8});
}
template <class V, int kWidth, bool kIsWide, int kFlight>
using ShapeOf = RowShape<kWidth / lane_columns<V>(kWidth), lane_columns<V>(kWidth),
                         kIsWide ? std::min(kWide<V>, lane_columns<V>(kWidth)) : 1, kFlight>;

/// Whether rows of a block can be read and written in chunks of `ShapeOf`.
template <class T>
bool is_wide(const Block<T>& block) {
    using V = std::remove_const_t<T>;
    const int width = static_cast<int>(std::bit_ceil(static_cast<unsigned>(block.cols)));
    const int chunk = std::min(kWide<V>, lane_columns<V>(std::max(width, 2)));
    const std::size_t bytes = static_cast<std::size_t>(chunk) * sizeof(V);
    return block.layout == Layout::row_major && block.cols % chunk == 0 && block.ld * sizeof(V) % bytes == 0 &&
           reinterpret_cast<std::uintptr_t>(block.data) % bytes == 0;
}

/// Calls f.operator()<Shape>() for up to `kMostRowColumns` columns of X in row-major layout. `is_wide`: X is. Of 8
/// columns `kFlightOf8` rows of X are in flight.
template <class V, int kFlightOf8, class F>
void with_row_shape(int columns, bool is_wide, F&& f) {
    const auto call = [&]<int kWidth, int kFlight>() {
        if (is_wide) return f.template operator()<ShapeOf<V, kWidth, true, kFlight>>();
        return f.template operator()<ShapeOf<V, kWidth, false, kFlight>>();
    };
    if (columns <= 2) return call.template operator()<2, 4>();
    if (columns <= 4) return call.template operator()<4, 4>();
    if (columns <= 8) return call.template operator()<8, kFlightOf8>();
    constexpr int kFlight = sizeof(V) == 8 ? 2 : 4;
    if (columns <= 16) return call.template operator()<16, kFlight>();
    return call.template operator()<32, kFlight>();
}

/// Calls f.operator()<kColumns, kFlight>() for up to `kMostColumnColumns` columns of X in column-major layout.
template <class F>
void with_columns(int columns, F&& f) {
    if (columns == 1) return f.template operator()<1, 8>();
    if (columns == 2) return f.template operator()<2, 8>();
    if (columns <= 4) return f.template operator()<4, 4>();
    return f.template operator()<8, 4>();
}

/// The terms of `count` columns of a product from `first` on.
template <class A, class V>
BlockTerms<V, A> terms_of(const BlockProduct<V>& product, int first, int count) {
    const auto x = product.x.columns(first, count);
    const auto y = product.y.columns(first, count);
    return {BlockView<const V>(x),
            BlockView<V>(y),
            static_cast<index_t>(y.rows),
            static_cast<index_t>(x.rows),
            count,
            is_wide(y),
            Factor(product.alpha),
            Factor(product.beta),
            product.cache_policy};
}

}  // namespace tilespmv::cuda
