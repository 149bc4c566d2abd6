#pragma once

#include "kernels/cuda/block_product.cuh"
#include "kernels/cuda/dependent_launch.cuh"
#include "kernels/cuda/load.cuh"
#include "kernels/cuda/tuning.hpp"
#include "kernels/cuda/warp.cuh"
#include "kernels/operators/csr_spmm/csr_pieces.hpp"

#include <cuda/atomic>

namespace tilespmv::cuda {

inline constexpr int kPieceThreads = 128;

/// Which pieces the lanes of a warp have: L lanes share the nonzeros of a piece, lane l has l, l + L, ..., for the same
/// columns of Y. So 32 / L lanes have the same nonzeros, of one piece with many columns or of several pieces with few.
/// Made on the host, since divisions are many instructions, and those are what a product of many columns waits for.
struct PieceTeam {
    unsigned lanes = 1;      ///< for the columns of a piece
    unsigned of_warp = 1;    ///< pieces
    unsigned inverse = 256;  ///< a lane of up to 16 over `lanes` is this times the lane over 256

    template <class Shape, int kLanes>
    static PieceTeam of(int columns) {
        const auto lanes = static_cast<unsigned>(lanes_of_row<Shape>(columns));
        return {lanes, kWarpSize / kLanes / lanes, (255 + lanes) / lanes};
    }
};

/// A pass over a CSR matrix.
template <class V, class A>
struct CsrSpmmPass : BlockTerms<V, A> {
    PieceTeam team;
    const CsrPiece* pieces = nullptr;
    std::uint32_t count = 0;
    const index_t* col_idxs = nullptr;
    const V* values = nullptr;
    bool values_may_change = false;       ///< by kernels of their owner's
    const RowPartOfCsr* parts = nullptr;  ///< null if no row is cut
    A* partials = nullptr;                ///< `partial_columns` of each part
    int partial_columns = 0;              ///< whole chunks of 16 bytes of X
    unsigned* arrivals = nullptr;         ///< one a part, 0 before and after every pass; those of first parts are used
};

/// Columns of a lane: kChunks times 16 bytes of a row of X, loaded at once where they are `kIsAligned`; single values
/// take more registers. Rows of X in flight: 4, of two chunks of single values and of those of 16 bits 2, of float32 at
/// once 8, which take 0.92 of the time of 4 (8 columns, 12 matrices). As many blocks are resident as the registers of
/// these allow, so that the sums of parts of rows take no more. Blocks of 128 threads take 0.97 of the time of those of
/// 256 (32 columns, 55 matrices), since they wait for fewer warps until the next one starts.
template <class V, class A, int kChunks, bool kIsAligned>
using PieceShape = RowShape<kChunks * kWide<V>, kIsAligned ? kWide<V> : 1,
                            !kIsAligned      ? kChunks == 2 || sizeof(V) == 2 ? 2 : 4
                            : sizeof(V) == 4 ? 8
                                             : 4,
                            kIsAligned && sizeof(V) == 8 && kChunks == 1     ? 10
                            : kIsAligned && sizeof(V) == 4 && sizeof(A) == 8 ? 6
                                                                             : 8>;

/// The nonzeros of a piece that a lane has.
template <class V, int kLanes, int kFlight>
class PieceNonzeros {
public:
    template <class A>
    __device__ PieceNonzeros(const CsrSpmmPass<V, A>& p, const CsrPiece& piece, int lane)
        : policy_(p.cache_policy),
          left_(piece.nonzeros - lane),
          next_cols_(as_one(p.col_idxs + piece.first + lane)),
          next_values_(as_one(p.values + piece.first + lane)) {}

    [[nodiscard]] __device__ bool has(int i) const { return i * kLanes < left_; }
    /// The first kFlight of them, as far as there are so many; other values are 0.
    __device__ void load() {
#pragma unroll
        for (int i = 0; i < kFlight; ++i) cols[i] = load_once_if(has(i), next_cols_ + i * kLanes, policy_, index_t{});
#pragma unroll
        for (int i = 0; i < kFlight; ++i) values[i] = load_once_if(has(i), next_values_ + i * kLanes, policy_, V{});
    }
    /// Has the next ones, if there are more.
    [[nodiscard]] __device__ bool advance() {
        next_cols_ = as_one(next_cols_ + kFlight * kLanes);
        next_values_ = as_one(next_values_ + kFlight * kLanes);
        left_ -= kFlight * kLanes;
        return left_ > 0;
    }

    index_t cols[kFlight];
    V values[kFlight];

private:
    std::uint64_t policy_;
    int left_;
    const index_t* next_cols_;
    const V* next_values_;
};

/// `RowPart::load` without branches, or zeros: loads of several rows of X are under way at once. It takes registers
/// that `sell-spmm`, whose lanes are many, needs more. `x`: what the lane has first of row 0. Single values may be of
/// any layout; rows of chunks are less than 2^32 bytes apart.
template <class V, class Shape>
__device__ void load_part(RowPart<V, Shape>& part, bool is_wanted, const V* x, const BlockView<const V>& steps,
                          index_t row, RowLane lane, int columns) {
    using Part = Chunk<V, Shape::kChunk>;
    const std::int64_t col_step = Shape::kChunk == 1 ? steps.col_step : 1;
    const V* at = Shape::kChunk == 1 ? x + row * steps.row_step
                                     : bytes_behind(x, static_cast<std::uint32_t>(row),
                                                    static_cast<std::uint32_t>(steps.row_step * sizeof(V)));
#pragma unroll
    for (int j = 0; j < Shape::kColumns / Shape::kChunk; ++j) {
        const int col = lane.column<Shape>(j * Shape::kChunk);
        part.chunks[j] = load_if(is_wanted && col < columns, reinterpret_cast<const Part*>(at));
        at += lane.lanes * Shape::kChunk * col_step;
    }
}

/// The same bits in all kLanes lanes that have a column, which are 32 / kLanes apart.
template <int kLanes, int kColumns, class A>
__device__ void add_lanes(A (&sums)[kColumns]) {
    __syncwarp();  // see sum_of_lanes
#pragma unroll
    for (int c = 0; c < kColumns; ++c) {
#pragma unroll
        for (int step = kWarpSize / 2; step >= kWarpSize / kLanes; step /= 2) {
            sums[c] += __shfl_xor_sync(kAllLanes, sums[c], step);
        }
    }
}

/// For a whole warp: leaves the sums of parts of rows, and replaces those of the last part to arrive by the sums of all
/// parts of its row, added in their order. Returns the row that the caller is to write, or -1; `target` without a part.
template <class Shape, int kLanes, class V, class A>
__device__ std::int32_t sum_of_parts(const CsrSpmmPass<V, A>& p, bool has_part, std::int32_t target, RowLane lane,
                                     unsigned nonzero_lane, A (&sums)[Shape::kColumns]) {
    using Sums = Chunk<A, Shape::kChunk>;
    constexpr int kChunks = Shape::kColumns / Shape::kChunk;
    const auto number = static_cast<std::uint32_t>(-1 - target);
    const RowPartOfCsr part = has_part ? load_wide(p.parts + number) : RowPartOfCsr{};
    const auto at = [&](std::uint32_t of, int chunk) {
        const int col = lane.column<Shape>(chunk * Shape::kChunk);
        return reinterpret_cast<Sums*>(p.partials + std::int64_t{of} * p.partial_columns + (col < p.columns ? col : 0));
    };
#pragma unroll
    for (int c = 0; c < kChunks; ++c) {
        Sums own;
#pragma unroll
        for (int i = 0; i < Shape::kChunk; ++i) own.of[i] = sums[c * Shape::kChunk + i];
        const bool has_column = lane.column<Shape>(c * Shape::kChunk) < p.columns;
        if (has_part && nonzero_lane == 0 && has_column) *at(number, c) = own;
    }
    __syncwarp();
    bool is_last = false;
    if (has_part && nonzero_lane == 0 && lane.number == 0) {
        const ::cuda::atomic_ref<unsigned, ::cuda::thread_scope_device> arrived(p.arrivals[part.first]);
        is_last = arrived.fetch_add(1, ::cuda::memory_order_acq_rel) + 1 == part.count;
        if (is_last) arrived.store(0, ::cuda::memory_order_relaxed);
    }
    const unsigned first_lane = threadIdx.x % (kWarpSize / kLanes) - static_cast<unsigned>(lane.number);
    is_last = __shfl_sync(kAllLanes, static_cast<int>(is_last), static_cast<int>(first_lane)) != 0 && has_part;
    if (!__any_sync(kAllLanes, is_last)) return has_part ? -1 : target;
    A all[Shape::kColumns] = {};
    // Loads of several parts are under way at once, without branches: others stand in for parts and columns that are
    // not there, which are not added or not written.
    constexpr std::uint32_t kParts = Shape::kColumns * sizeof(A) > 32 ? 1 : 4;
    for (std::uint32_t i = nonzero_lane; is_last && i < part.count; i += kParts * kLanes) {
        Sums left[kParts][kChunks];
#pragma unroll
        for (std::uint32_t j = 0; j < kParts; ++j) {
#pragma unroll
            for (int c = 0; c < kChunks; ++c) left[j][c] = *at(part.first + min(i + j * kLanes, part.count - 1), c);
        }
#pragma unroll
        for (std::uint32_t j = 0; j < kParts; ++j) {
#pragma unroll
            for (int c = 0; c < Shape::kColumns; ++c) {
                const A sum = left[j][c / Shape::kChunk].of[c % Shape::kChunk];
                all[c] += i + j * kLanes < part.count ? sum : A(0);
            }
        }
    }
    add_lanes<kLanes>(all);
#pragma unroll
    for (int c = 0; c < Shape::kColumns; ++c) sums[c] = is_last ? all[c] : sums[c];
    return is_last ? static_cast<std::int32_t>(part.row) : has_part ? -1 : target;
}

/// X in row-major layout, or not `kIsAligned`; Y in any layout.
template <class V, class A, int kLanes, int kChunks, bool kIsAligned>
__global__ void __launch_bounds__(kPieceThreads,
                                  resident(PieceShape<V, A, kChunks, kIsAligned>::kBlocks, kPieceThreads))
    multiply_csr_pieces(const __grid_constant__ CsrSpmmPass<V, A> p) {
    using Shape = PieceShape<V, A, kChunks, kIsAligned>;
    constexpr unsigned kColumnLanes = kWarpSize / kLanes;
    const unsigned column_lane = threadIdx.x % kColumnLanes;
    const unsigned nonzero_lane = threadIdx.x % kWarpSize / kColumnLanes;
    const unsigned of_warp = column_lane * p.team.inverse / 256;
    const RowLane lane{static_cast<int>(p.team.lanes), static_cast<int>(column_lane - of_warp * p.team.lanes)};
    const unsigned warp = blockIdx.x * (kPieceThreads / kWarpSize) + threadIdx.x / kWarpSize;
    const unsigned number = warp * p.team.of_warp + of_warp;
    const bool has_piece = of_warp < p.team.of_warp && number < p.count;
    const CsrPiece piece = has_piece ? load_wide(p.pieces + number) : CsrPiece{};
    if (p.values_may_change) wait_for_stream();
    PieceNonzeros<V, kLanes, Shape::kFlight> nonzeros(p, piece, static_cast<int>(nonzero_lane));
    nonzeros.load();
    wait_for_stream();
    const V* const x_row = p.x.data + lane.column<Shape>(0) * (Shape::kChunk == 1 ? p.x.col_step : 1);
    A sums[Shape::kColumns] = {};
    while (true) {
        RowPart<V, Shape> x[Shape::kFlight];
#pragma unroll
        for (int i = 0; i < Shape::kFlight; ++i) {
            load_part(x[i], nonzeros.has(i), x_row, p.x, nonzeros.cols[i], lane, p.columns);
        }
#pragma unroll
        for (int i = 0; i < Shape::kFlight; ++i) {
#pragma unroll
            for (int c = 0; c < Shape::kColumns; ++c) {
                sums[c] += static_cast<A>(nonzeros.values[i]) * static_cast<A>(x[i].of(c));
            }
        }
        if (!nonzeros.advance()) break;
        nonzeros.load();
    }
    add_lanes<kLanes>(sums);
    std::int32_t row = has_piece ? piece.target : -1;
    const bool has_part = has_piece && row < 0;
    if (__any_sync(kAllLanes, has_part)) row = sum_of_parts<Shape, kLanes>(p, has_part, row, lane, nonzero_lane, sums);
    if (row < 0 || nonzero_lane != 0) return;
    write_columns<V, A, Shape>(p, row, lane, sums);
}

}  // namespace tilespmv::cuda
