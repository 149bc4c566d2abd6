#pragma once

#include "kernels/cuda/block_product.cuh"
#include "kernels/cuda/dependent_launch.cuh"
#include "kernels/cuda/load.cuh"
#include "kernels/cuda/tuning.hpp"
#include "kernels/cuda/warp.cuh"
#include "kernels/operators/sell_spmm/piece_slices.hpp"

namespace tilespmv::cuda {

inline constexpr int kSpmmThreads = 256;
/// Column of a place without a nonzero.
inline constexpr std::int32_t kNoColumn = -1;
/// A matrix by `PieceSlices`, in device memory.
template <class V>
struct DevicePieces {
    const std::uint64_t* first_steps = nullptr;
    std::int64_t pieces = 0;
    const std::int32_t* targets = nullptr;
    const std::uint8_t* heights = nullptr;  ///< of pieces that are of several rows
    const std::int32_t* cols = nullptr;
    const V* values = nullptr;
};

/// A pass over the matrix.
template <class V, class A>
struct SpmmPass : BlockTerms<V, A> {
    DevicePieces<V> a;
    A* partials = nullptr;  ///< `columns` for each row of each piece of split rows

    /// Of row `row` of a piece of kRows: into y, or where the sums of its pieces are added later.
    template <int kRows, int kCount>
    __device__ void write_piece(std::int32_t target, int row, int col, const A* sums) const {
        if (target >= 0) return this->template write<kCount>(std::int64_t{target} + row, col, sums);
        A* const to = partials + ((-1 - std::int64_t{target}) * kRows + row) * this->columns + col;
#pragma unroll
        for (int i = 0; i < kCount; ++i) {
            if (col + i < this->columns) to[i] = sums[i];
        }
    }
};

/// The steps of a slice as one piece of kRows rows has them.
template <class V, int kRows, int kFlight>
class PieceSteps {
public:
    template <class A>
    __device__ PieceSteps(const SpmmPass<V, A>& p, std::int64_t piece) : policy_(p.cache_policy) {
        const std::uint64_t* const first = p.a.first_steps + piece / kSlicePieces;
        steps_ = static_cast<int>(load_often(first + 1) - load_often(first));
        const std::uint64_t place = load_often(first) * kSlicePieces;
        const auto of_slice = static_cast<unsigned>(piece % kSlicePieces);
        next_cols_ = as_one(p.a.cols + place + of_slice);
        next_values_ = as_one(p.a.values + place * kRows + of_slice);
    }

    [[nodiscard]] __device__ bool has_more() const { return steps_ > 0; }
    /// The next kFlight steps, as far as there are so many.
    __device__ void load() {
#pragma unroll
        for (int i = 0; i < kFlight; ++i) {
            cols[i] = load_once_if(i < steps_, next_cols_ + i * kSlicePieces, policy_, kNoColumn);
        }
#pragma unroll
        for (int i = 0; i < kFlight; ++i) {
#pragma unroll
            for (int r = 0; r < kRows; ++r) {
                const V* const value = next_values_ + (i * kRows + r) * kSlicePieces;
                values[i][r] = load_once_if(i < steps_, value, policy_, V{});
            }
        }
        next_cols_ = as_one(next_cols_ + kFlight * kSlicePieces);
        next_values_ = as_one(next_values_ + kFlight * kRows * kSlicePieces);
        steps_ -= kFlight;
    }

    std::int32_t cols[kFlight];
    V values[kFlight][kRows];

private:
    std::uint64_t policy_;
    int steps_;
    const std::int32_t* next_cols_;
    const V* next_values_;
};

/// X in row-major layout, pieces of up to kRows rows; Y in any layout.
template <class V, class A, int kRows, class Shape>
__global__ void __launch_bounds__(kSpmmThreads, resident(Shape::kBlocks, kSpmmThreads))
    multiply_x_rows(const __grid_constant__ SpmmPass<V, A> p) {
    const OwnRow<Shape, kSpmmThreads> own(p.columns);
    const std::int64_t piece = own.row;
    if (!own.is_one || piece >= p.a.pieces) return;
    PieceSteps<V, kRows, Shape::kFlight> steps(p, piece);
    const std::int32_t target = load_often(p.a.targets + piece);
    const int height = kRows == 1 ? 1 : p.a.heights[piece];
    A sums[kRows][Shape::kColumns] = {};
    while (steps.has_more()) {
        steps.load();
        wait_for_stream();
        RowPart<V, Shape> x[Shape::kFlight] = {};
#pragma unroll
        for (int i = 0; i < Shape::kFlight; ++i) {
            if (steps.cols[i] != kNoColumn) x[i].load(p.x.at(steps.cols[i], 0), own.lane, p.columns);
        }
#pragma unroll
        for (int i = 0; i < Shape::kFlight; ++i) {
#pragma unroll
            for (int c = 0; c < Shape::kColumns; ++c) {
                const A factor = static_cast<A>(x[i].of(c));
#pragma unroll
                for (int r = 0; r < kRows; ++r) sums[r][c] += static_cast<A>(steps.values[i][r]) * factor;
            }
        }
    }
    wait_for_stream();
#pragma unroll
    for (int r = 0; r < kRows; ++r) {
        if (r >= height) return;
#pragma unroll
        for (int c = 0; c < Shape::kColumns; c += Shape::kChunk) {
            p.template write_piece<kRows, Shape::kChunk>(target, r, own.lane.template column<Shape>(c), sums[r] + c);
        }
    }
}

/// A thread a piece and up to kColumns columns, X in column-major layout: for pieces side by side that read x side by
/// side. Y in any layout.
template <class V, class A, int kColumns, int kFlight>
__global__ void __launch_bounds__(kSpmmThreads, resident(kColumns > 4 ? 2 : 4, kSpmmThreads))
    multiply_x_columns(const __grid_constant__ SpmmPass<V, A> p) {
    const std::int64_t piece = std::int64_t{blockIdx.x} * kSpmmThreads + threadIdx.x;
    if (piece >= p.a.pieces) return;
    PieceSteps<V, 1, kFlight> steps(p, piece);
    const std::int32_t target = load_often(p.a.targets + piece);
    A sums[kColumns] = {};
    while (steps.has_more()) {
        steps.load();
        wait_for_stream();
        V x[kFlight][kColumns] = {};
#pragma unroll
        for (int i = 0; i < kFlight; ++i) {
            if (steps.cols[i] == kNoColumn) continue;
#pragma unroll
            for (int c = 0; c < kColumns; ++c) {
                if (c < p.columns) x[i][c] = load_x(p.x.data + steps.cols[i] + c * p.x.col_step);
            }
        }
#pragma unroll
        for (int i = 0; i < kFlight; ++i) {
#pragma unroll
            for (int c = 0; c < kColumns; ++c) {
                sums[c] += static_cast<A>(steps.values[i][0]) * static_cast<A>(x[i][c]);
            }
        }
    }
    wait_for_stream();
#pragma unroll
    for (int c = 0; c < kColumns; ++c) p.template write_piece<1, 1>(target, 0, c, sums + c);
}

template <class V, class A>
struct SplitSums {
    SpmmPass<V, A> pass;
    const SplitRow* splits = nullptr;
    const std::uint32_t* rows = nullptr;
    std::int64_t count = 0;
    int step = 1;  ///< from a partial sum of a row to the next one
};

/// Rows of several pieces, whose partial sums the kernel before has left. kLanes lanes, a part of a warp or the whole
/// block, add those of a row and column: lane l the ones with numbers l, l + kLanes, ...
template <class V, class A, int kLanes>
__global__ void __launch_bounds__(kSpmmThreads) add_split_rows(const __grid_constant__ SplitSums<V, A> p) {
    const std::int64_t team = (std::int64_t{blockIdx.x} * kSpmmThreads + threadIdx.x) / kLanes;
    const unsigned lane = threadIdx.x % kLanes;
    const std::int64_t number = team / p.pass.columns;
    const int col = static_cast<int>(team % p.pass.columns);
    const bool has_row = number < p.count;
    const SplitRow split = has_row ? p.splits[number] : SplitRow{};
    wait_for_stream();
    A sum = 0;
    for (std::uint32_t i = lane; i < split.partials; i += kLanes) {
        const std::int64_t partial = split.first_partial + std::int64_t{i} * p.step;
        sum += p.pass.partials[partial * p.pass.columns + col];
    }
    __syncwarp();  // see sum_of_lanes
    sum = sum_of_lanes < kLanes < kWarpSize ? kLanes : kWarpSize > (sum);
    if constexpr (kLanes > kWarpSize) {
        static_assert(kLanes == kSpmmThreads);
        __shared__ A of_warps[kSpmmThreads / kWarpSize];
        if (lane % kWarpSize == 0) of_warps[lane / kWarpSize] = sum;
        __syncthreads();
        sum = 0;
        for (const A one : of_warps) sum += one;
    }
    if (!has_row || lane != 0) return;
    p.pass.template write<1>(p.rows[number], col, &sum);
}

/// Puts columns and values of CSR where `PieceSlices` has them; without columns the values alone.
template <class V>
struct PieceFill {
    DevicePieces<V> to;
    std::int32_t* cols = nullptr;
    V* values = nullptr;
    const offset_t* first_nonzeros = nullptr;
    const std::uint32_t* row_lengths = nullptr;  ///< of pieces that are of several rows
    int most_rows = 1;
    const V* csr_values = nullptr;
    // What new values leave as it is:
    const std::uint16_t* lengths = nullptr;
    const index_t* csr_cols = nullptr;
};

/// A thread a piece.
template <class V, bool kWithColumns>
__global__ void __launch_bounds__(kSpmmThreads) fill_pieces(const __grid_constant__ PieceFill<V> p) {
    const std::int64_t piece = std::int64_t{blockIdx.x} * kSpmmThreads + threadIdx.x;
    if (piece >= div_up(p.to.pieces, kSlicePieces) * kSlicePieces) return;
    const std::uint64_t* const first = p.to.first_steps + piece / kSlicePieces;
    const auto steps = static_cast<unsigned>(first[1] - first[0]);
    const std::uint64_t first_place = first[0] * kSlicePieces + static_cast<unsigned>(piece % kSlicePieces);
    const bool is_piece = piece < p.to.pieces;
    const offset_t from = is_piece ? p.first_nonzeros[piece] : 0;
    const unsigned height = !is_piece ? 0 : p.most_rows == 1 ? 1 : p.to.heights[piece];
    const offset_t row_length = is_piece && p.most_rows > 1 ? p.row_lengths[piece] : 0;
    for (unsigned k = 0; k < steps; ++k) {
        const std::uint64_t place = first_place + std::uint64_t{k} * kSlicePieces;
        bool is_nonzero = false;
        if constexpr (kWithColumns) {
            is_nonzero = is_piece && k < p.lengths[piece];
            p.cols[place] = is_nonzero ? p.csr_cols[from + k] : kNoColumn;
        } else {
            is_nonzero = p.to.cols[place] != kNoColumn;
        }
        V* const values = p.values + (first[0] + k) * kSlicePieces * p.most_rows + piece % kSlicePieces;
        for (unsigned r = 0; r < static_cast<unsigned>(p.most_rows); ++r) {
            const bool is_held = is_nonzero && r < height;
            values[r * kSlicePieces] = is_held ? p.csr_values[from + r * row_length + k] : V{};
        }
    }
}

}  // namespace tilespmv::cuda
