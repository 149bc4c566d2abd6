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
    const std::int32_t* cols = nullptr;
    const V* values = nullptr;
};

/// A pass over the matrix.
template <class V, class A>
struct SpmmPass : BlockTerms<V, A> {
    DevicePieces<V> a;
    A* partials = nullptr;  ///< `columns` for each piece of a split row

    /// Of a piece: into y, or where the sums of its row's pieces are added later.
    template <int kCount>
    __device__ void write_piece(std::int32_t target, int col, const A* sums) const {
        if (target >= 0) return this->template write<kCount>(target, col, sums);
#pragma unroll
        for (int i = 0; i < kCount; ++i) {
            if (col + i < this->columns) partials[(-1 - std::int64_t{target}) * this->columns + col + i] = sums[i];
        }
    }
};

/// The steps of a slice as one piece has them.
template <class V, int kFlight>
class PieceSteps {
public:
    template <class A>
    __device__ PieceSteps(const SpmmPass<V, A>& p, std::int64_t piece) : policy_(p.cache_policy) {
        const std::uint64_t* const first = p.a.first_steps + piece / kSlicePieces;
        steps_ = static_cast<int>(load_often(first + 1) - load_often(first));
        const std::uint64_t place = load_often(first) * kSlicePieces + static_cast<unsigned>(piece % kSlicePieces);
        next_cols_ = as_one(p.a.cols + place);
        next_values_ = as_one(p.a.values + place);
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
            values[i] = load_once_if(i < steps_, next_values_ + i * kSlicePieces, policy_, V{});
        }
        next_cols_ = as_one(next_cols_ + kFlight * kSlicePieces);
        next_values_ = as_one(next_values_ + kFlight * kSlicePieces);
        steps_ -= kFlight;
    }

    std::int32_t cols[kFlight];
    V values[kFlight];

private:
    std::uint64_t policy_;
    int steps_;
    const std::int32_t* next_cols_;
    const V* next_values_;
};

/// Resident blocks of a multiprocessor: as many as the registers for sums and rows of X in flight allow.
template <class A, class Shape>
inline constexpr int kRowBlocks = static_cast<int>(sizeof(A)) * Shape::kColumns*(1 + Shape::kFlight) > 128 ? 3 : 5;

/// X in row-major layout; Y in any.
template <class V, class A, class Shape>
__global__ void __launch_bounds__(kSpmmThreads, resident(kRowBlocks<A, Shape>, kSpmmThreads))
    multiply_x_rows(const __grid_constant__ SpmmPass<V, A> p) {
    const std::int64_t thread = std::int64_t{blockIdx.x} * kSpmmThreads + threadIdx.x;
    const std::int64_t piece = thread / Shape::kLanes;
    const int lane = static_cast<int>(thread % Shape::kLanes);
    if (piece >= p.a.pieces) return;
    PieceSteps<V, Shape::kFlight> steps(p, piece);
    const std::int32_t target = load_often(p.a.targets + piece);
    A sums[Shape::kColumns] = {};
    while (steps.has_more()) {
        steps.load();
        wait_for_stream();
        RowPart<V, Shape> x[Shape::kFlight] = {};
#pragma unroll
        for (int i = 0; i < Shape::kFlight; ++i) {
            if (steps.cols[i] != kNoColumn) x[i].load(p.x.at(steps.cols[i], 0), lane, p.columns);
        }
#pragma unroll
        for (int i = 0; i < Shape::kFlight; ++i) {
#pragma unroll
            for (int c = 0; c < Shape::kColumns; ++c) {
                sums[c] += static_cast<A>(steps.values[i]) * static_cast<A>(x[i].of(c));
            }
        }
    }
    wait_for_stream();
#pragma unroll
    for (int c = 0; c < Shape::kColumns; c += Shape::kChunk) {
        p.template write_piece<Shape::kChunk>(target, Shape::column(lane, c), sums + c);
    }
}

/// A thread a piece, X in column-major layout: for pieces side by side that read x side by side. Y in any layout.
template <class V, class A, int kColumns, int kFlight>
__global__ void __launch_bounds__(kSpmmThreads, resident(kColumns > 4 ? 2 : 4, kSpmmThreads))
    multiply_x_columns(const __grid_constant__ SpmmPass<V, A> p) {
    const std::int64_t piece = std::int64_t{blockIdx.x} * kSpmmThreads + threadIdx.x;
    if (piece >= p.a.pieces) return;
    PieceSteps<V, kFlight> steps(p, piece);
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
            for (int c = 0; c < kColumns; ++c) sums[c] += static_cast<A>(steps.values[i]) * static_cast<A>(x[i][c]);
        }
    }
    wait_for_stream();
#pragma unroll
    for (int c = 0; c < kColumns; ++c) p.template write_piece<1>(target, c, sums + c);
}

/// Rows of a block that `copy_to_rows` takes at a time.
inline constexpr int kCopiedRows = 64;

template <class V>
struct RowCopy {
    BlockView<const V> from;
    V* to = nullptr;
    std::int64_t to_step = 0;  ///< from row to row
    std::int64_t rows = 0;
    int columns = 0;
};

/// A block in column-major layout into row-major layout, by way of shared memory.
template <class V>
__global__ void __launch_bounds__(kSpmmThreads) copy_to_rows(const __grid_constant__ RowCopy<V> p) {
    __shared__ V shared[kCopiedRows][kMostRowColumns + 1];
    const std::int64_t first = std::int64_t{blockIdx.x} * kCopiedRows;
    const auto rows = static_cast<int>(min(p.rows - first, std::int64_t{kCopiedRows}));
    wait_for_stream();
    for (int i = static_cast<int>(threadIdx.x); i < kCopiedRows * p.columns; i += kSpmmThreads) {
        const int row = i % kCopiedRows;
        if (row < rows) shared[row][i / kCopiedRows] = *p.from.at(first + row, i / kCopiedRows);
    }
    __syncthreads();
    for (int i = static_cast<int>(threadIdx.x); i < rows * p.columns; i += kSpmmThreads) {
        const int row = i / p.columns;
        p.to[(first + row) * p.to_step + i % p.columns] = shared[row][i % p.columns];
    }
}

/// Lanes that add the partial sums of a row and column: lane l those with numbers l, l + kSumLanes, ...
inline constexpr int kSumLanes = 8;

template <class V, class A>
struct SplitSums {
    SpmmPass<V, A> pass;
    const SplitRow* splits = nullptr;
    const std::uint32_t* rows = nullptr;
    std::int64_t count = 0;
};

/// Rows of several pieces, whose partial sums the kernel before has left.
template <class V, class A>
__global__ void __launch_bounds__(kSpmmThreads) add_split_rows(const __grid_constant__ SplitSums<V, A> p) {
    const std::int64_t team = (std::int64_t{blockIdx.x} * kSpmmThreads + threadIdx.x) / kSumLanes;
    const unsigned lane = threadIdx.x % kSumLanes;
    const std::int64_t number = team / p.pass.columns;
    const int col = static_cast<int>(team % p.pass.columns);
    const bool has_row = number < p.count;
    const SplitRow split = has_row ? p.splits[number] : SplitRow{};
    wait_for_stream();
    A sum = 0;
    for (std::uint32_t i = lane; i < split.partials; i += kSumLanes) {
        sum += p.pass.partials[(std::int64_t{split.first_partial} + i) * p.pass.columns + col];
    }
#pragma unroll
    for (int lanes = kSumLanes / 2; lanes > 0; lanes /= 2) sum += __shfl_xor_sync(kAllLanes, sum, lanes);
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
    for (unsigned k = 0; k < steps; ++k) {
        const std::uint64_t place = first_place + std::uint64_t{k} * kSlicePieces;
        if constexpr (kWithColumns) {
            const bool is_nonzero = is_piece && k < p.lengths[piece];
            p.cols[place] = is_nonzero ? p.csr_cols[from + k] : kNoColumn;
            p.values[place] = is_nonzero ? p.csr_values[from + k] : V{};
        } else if (p.to.cols[place] != kNoColumn) {
            p.values[place] = p.csr_values[from + k];
        }
    }
}

}  // namespace tilespmv::cuda
