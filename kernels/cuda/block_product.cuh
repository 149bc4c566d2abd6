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
    int y_chunk = 1;  ///< `chunk_of` Y
    Factor alpha;
    Factor beta;
    std::uint64_t cache_policy = 0;

    /// kCount neighbouring columns of a row from `col` on, as far as there are so many. Y is not read if beta is 0.
    template <int kCount>
    __device__ void write(std::int64_t row, int col, const A* sums) const {
        const auto alpha_now = static_cast<A>(alpha.get());
        const auto beta_now = static_cast<A>(beta.get());
        const auto result = [&](int i, const V& old) {
            A sum = alpha_now == A(0) ? A(0) : alpha_now * sums[i];
            if (beta_now != A(0)) sum += beta_now * static_cast<A>(old);
            return static_cast<V>(sum);
        };
        if (kCount > 1 && y_chunk >= kCount) {  // there are all of them or none, side by side
            if (col >= columns) return;
            auto* const to = reinterpret_cast<Chunk<V, kCount>*>(y.data + row * y.row_step + col);
            Chunk<V, kCount> results = beta_now == A(0) ? Chunk<V, kCount>{} : *to;
#pragma unroll
            for (int i = 0; i < kCount; ++i) results.of[i] = result(i, results.of[i]);
            *to = results;
            return;
        }
#pragma unroll
        for (int i = 0; i < kCount; ++i) {
            if (col + i >= columns) return;
            V* const to = y.at(row, col + i);
            *to = result(i, beta_now == A(0) ? V{} : *to);
        }
    }
};

/// How rows of X are multiplied: neighbouring lanes have a row of the matrix, each of them kColumns columns in chunks
/// of kChunk neighbouring ones; chunk j of lane l is the (j * lanes + l)-th of the row. kFlight rows of X are asked for
/// at once, kBlocks thread blocks are resident on a multiprocessor.
template <int kColumns_, int kChunk_, int kFlight_, int kBlocks_>
struct RowShape {
    static constexpr int kColumns = kColumns_;
    static constexpr int kChunk = kChunk_;
    static constexpr int kFlight = kFlight_;
    static constexpr int kBlocks = kBlocks_;
};

/// How many lanes have a row together, and which of them this one is.
struct RowLane {
    int lanes = 1;
    int number = 0;

    template <class Shape>
    [[nodiscard]] __device__ int column(int i) const {
        return (i / Shape::kChunk * lanes + number) * Shape::kChunk + i % Shape::kChunk;
    }
};

/// Lanes that have a row together.
template <class Shape>
constexpr TILESPMV_HD int lanes_of_row(int columns) {
    return (columns + Shape::kColumns - 1) / Shape::kColumns;
}

/// What a thread has of the rows that its block of kThreads multiplies; the last threads have none if lanes are left
/// over.
template <class Shape, int kThreads>
struct OwnRow {
    std::int64_t row;
    RowLane lane;
    bool is_one;

    explicit __device__ OwnRow(int columns) : lane{lanes_of_row<Shape>(columns), 0} {
        const int rows = kThreads / lane.lanes;
        const int thread = static_cast<int>(threadIdx.x);
        lane.number = thread % lane.lanes;
        row = std::int64_t{blockIdx.x} * rows + thread / lane.lanes;
        is_one = thread / lane.lanes < rows;
    }
    /// Blocks for `rows` rows.
    static std::int64_t blocks_for(std::int64_t rows, int columns) {
        return div_up(rows, std::int64_t{kThreads / lanes_of_row<Shape>(columns)});
    }
};

/// A part of a row of X as a lane of a shape has it; columns behind the last one are not loaded.
template <class V, class Shape>
struct RowPart {
    Chunk<V, Shape::kChunk> chunks[Shape::kColumns / Shape::kChunk];

    __device__ void load(const V* row, RowLane lane, int columns) {
#pragma unroll
        for (int j = 0; j < Shape::kColumns / Shape::kChunk; ++j) {
            const int col = lane.column<Shape>(j * Shape::kChunk);
            if (col < columns) chunks[j] = *reinterpret_cast<const Chunk<V, Shape::kChunk>*>(row + col);
        }
    }
    [[nodiscard]] __device__ V of(int i) const { return chunks[i / Shape::kChunk].of[i % Shape::kChunk]; }
};

template <class V, class A, class Shape>
__device__ void write_columns(const BlockTerms<V, A>& p, std::int64_t row, RowLane lane, const A* sums) {
#pragma unroll
    for (int c = 0; c < Shape::kColumns; c += Shape::kChunk) {
        p.template write<Shape::kChunk>(row, lane.column<Shape>(c), sums + c);
    }
}

/// Values of 16 bytes.
template <class V>
constexpr int kWide = 16 / static_cast<int>(sizeof(V));

/// Neighbouring columns that can be loaded and stored at once in every row of a block: a power of two, up to 16 bytes.
template <class T>
int chunk_of(const Block<T>& block) {
    using V = std::remove_const_t<T>;
    if (block.layout != Layout::row_major) return 1;
    const std::uint64_t values = reinterpret_cast<std::uintptr_t>(block.data) / sizeof(V);
    const std::uint64_t all = static_cast<std::uint64_t>(block.cols) | block.ld | values | kWide<V>;
    return 1 << std::countr_zero(all);
}

/// Columns of a lane whose chunks are of 16 bytes, rows of X in flight and resident blocks of 256 threads, where `rows`
/// rows of the matrix are multiplied together ("Several columns" in `bench/NOTES.md`).
struct RowTuning {
    int columns;
    int flight;
    int blocks;
};
template <class V>
constexpr RowTuning row_tuning(int rows, bool is_short) {
    if (sizeof(V) == 8) {
        if (rows == 1) return {4, 2, is_short ? 5 : 4};
        return rows == 2 ? RowTuning{4, 4, 3} : rows == 3 ? RowTuning{4, 2, 4} : RowTuning{4, 4, 2};
    }
    if (sizeof(V) == 4) {
        if (rows == 1) return {8, 2, 5};
        return rows <= 3 ? RowTuning{4, 4, 4} : RowTuning{4, 2, 3};
    }
    if (rows == 1) return {8, 1, is_short ? 8 : 4};
    return rows == 2 ? RowTuning{8, 4, 3} : rows == 3 ? RowTuning{8, 2, 4} : RowTuning{8, 2, 3};
}

/// For lanes of other columns and chunks.
template <class V>
constexpr RowTuning row_tuning(int rows, bool is_short, int columns, int chunk) {
    const RowTuning widest = row_tuning<V>(rows, is_short);
    const int blocks = rows == 1 ? 5 : rows <= 3 ? 3 : 2;
    if (columns < widest.columns) return {columns, sizeof(V) == 8 && rows == 1 ? 2 : 4, blocks};
    return {columns, widest.flight, chunk == 1 ? std::min(blocks, widest.blocks) : widest.blocks};
}
template <class V, int kRows, bool kIsShort, int kColumns, int kChunk>
using TunedShape = RowShape<kColumns, kChunk, row_tuning<V>(kRows, kIsShort, kColumns, kChunk).flight,
                            row_tuning<V>(kRows, kIsShort, kColumns, kChunk).blocks>;

/// Calls f.operator()<Shape>() for `columns` columns of X in row-major layout, whose rows can be loaded in chunks of
/// `chunk` columns, where kRows rows of the matrix are multiplied together. `kIsShort`: most of them are.
template <class V, int kRows, bool kIsShort, class F>
void with_row_shape(int columns, int chunk, F&& f) {
    constexpr int kMostColumns = row_tuning<V>(kRows, kIsShort).columns;
    const auto call = [&]<int kColumns, int kChunk>() {
        return f.template operator()<TunedShape<V, kRows, kIsShort, kColumns, kChunk>>();
    };
    constexpr int kWidest = kWide<V>;
    if (chunk == kWidest && columns > chunk) return call.template operator()<kMostColumns, kWidest>();
    if (chunk == kWidest) return call.template operator()<kWidest, kWidest>();
    if constexpr (kWidest > 4) {
        if (chunk == 4) return call.template operator()<4, 4>();
    }
    if constexpr (kWidest > 2) {
        if (chunk == 2) return call.template operator()<4, 2>();
    }
    if (columns == 1) return call.template operator()<1, 1>();
    if ((columns + 3) / 4 * 3 >= columns) return call.template operator()<3, 1>();
    call.template operator()<4, 1>();
}

/// Calls f.operator()<kColumns, kFlight>() for up to `kMostColumnColumns` columns of X in column-major layout.
template <class F>
void with_columns(int columns, F&& f) {
    if (columns == 1) return f.template operator()<1, 8>();
    if (columns == 2) return f.template operator()<2, 8>();
    if (columns <= 4) return f.template operator()<4, 4>();
    return f.template operator()<8, 4>();
}

/// A product of one column by a matrix of so many rows and columns, as one of blocks.
template <class V>
BlockProduct<V> one_column(const Product<V>& product, index_t rows, index_t cols) {
    return {{product.x, static_cast<std::size_t>(cols), Memory::device},
            {product.y, static_cast<std::size_t>(rows), Memory::device},
            product.alpha,
            product.beta,
            product.workspace,
            product.cache_policy};
}

/// The terms of `count` columns of a product from `first` on.
template <class A, class V>
BlockTerms<V, A> terms_of(const BlockProduct<V>& product, int first, int count) {
    const auto x = product.x.columns(first, count);
    const auto y = product.y.columns(first, count);
    return {
        BlockView<const V>(x), BlockView<V>(y),       static_cast<index_t>(y.rows), static_cast<index_t>(x.rows), count,
        chunk_of(y),           Factor(product.alpha), Factor(product.beta),         product.cache_policy};
}

}  // namespace tilespmv::cuda
