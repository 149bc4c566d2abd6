#pragma once

#include "kernels/cuda/block_product.cuh"
#include "kernels/cuda/dependent_launch.cuh"
#include "kernels/cuda/load.cuh"
#include "kernels/cuda/tuning.hpp"
#include "kernels/cuda/warp.cuh"
#include "kernels/operators/csr_spmm/csr_pieces.hpp"

#include <cuda/atomic>

namespace tilespmv::cuda {

inline constexpr int kPieceThreads = 256;

/// A pass over a CSR matrix.
template <class V, class A>
struct CsrSpmmPass : BlockTerms<V, A> {
    const CsrPiece* pieces = nullptr;
    std::int64_t count = 0;
    const index_t* col_idxs = nullptr;
    const V* values = nullptr;
    bool values_may_change = false;       ///< by kernels of their owner's
    const RowPartOfCsr* parts = nullptr;  ///< null if no row is cut
    A* partials = nullptr;                ///< `columns` of each part
    unsigned* arrivals = nullptr;         ///< one a part, 0 before and after every pass; those of first parts are used
};

/// Columns of a lane: kChunks times 16 bytes of a row of X, loaded at once where they are `kIsAligned`; single values
/// take more registers. Rows of X in flight: 4, of two chunks of single values and of those of 16 bits 2, of float32 at
/// once 8, which take 0.92 of the time of 4 (8 columns, 12 matrices). As many blocks are resident as the registers of
/// these allow, so that the sums of parts of rows take no more.
template <class V, class A, int kChunks, bool kIsAligned>
using PieceShape = RowShape<kChunks * kWide<V>, kIsAligned ? kWide<V> : 1,
                            !kIsAligned      ? kChunks == 2 || sizeof(V) == 2 ? 2 : 4
                            : sizeof(V) == 4 ? 8
                                             : 4,
                            kIsAligned && sizeof(V) == 8 && kChunks == 1     ? 5
                            : kIsAligned && sizeof(V) == 4 && sizeof(A) == 8 ? 3
                                                                             : 4>;

/// Which pieces the lanes of a warp have: kLanes lanes share the nonzeros of a piece, lane l has l, l + kLanes, ...,
/// for the same columns of Y. So 32 / kLanes lanes have the same nonzeros, of one piece with many columns or of several
/// pieces with few.
template <class Shape, int kLanes>
struct PieceTeam {
    static constexpr int kColumnLanes = kWarpSize / kLanes;
    int lanes;    ///< for the columns of a piece
    int of_warp;  ///< pieces

    explicit TILESPMV_HD PieceTeam(int columns) : lanes(lanes_of_row<Shape>(columns)), of_warp(kColumnLanes / lanes) {}
};

/// The nonzeros of a piece that a lane has.
template <class V, int kLanes, int kFlight>
class PieceNonzeros {
public:
    static constexpr index_t kNone = -1;

    template <class A>
    __device__ PieceNonzeros(const CsrSpmmPass<V, A>& p, const CsrPiece& piece, int lane)
        : policy_(p.cache_policy),
          left_(piece.nonzeros - lane),
          next_cols_(as_one(p.col_idxs + piece.first + lane)),
          next_values_(as_one(p.values + piece.first + lane)) {}

    [[nodiscard]] __device__ bool has_more() const { return left_ > 0; }
    /// The next kFlight of them; columns of those that are not there are `kNone`.
    __device__ void load() {
#pragma unroll
        for (int i = 0; i < kFlight; ++i) {
            cols[i] = load_once_if(i * kLanes < left_, next_cols_ + i * kLanes, policy_, kNone);
        }
#pragma unroll
        for (int i = 0; i < kFlight; ++i) {
            values[i] = load_once_if(i * kLanes < left_, next_values_ + i * kLanes, policy_, V{});
        }
        next_cols_ = as_one(next_cols_ + kFlight * kLanes);
        next_values_ = as_one(next_values_ + kFlight * kLanes);
        left_ -= kFlight * kLanes;
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
/// that `sell-spmm`, whose lanes are many, needs more. Single values may be of any layout.
template <class V, class Shape>
__device__ void load_part(RowPart<V, Shape>& part, bool is_wanted, const BlockView<const V>& x, index_t row,
                          RowLane lane, int columns) {
    using Part = Chunk<V, Shape::kChunk>;
    const std::int64_t col_step = Shape::kChunk == 1 ? x.col_step : 1;
    const V* at = x.data + row * x.row_step + lane.column<Shape>(0) * col_step;
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
/// parts of its row, added in their order. Returns the row that the caller is to write, or -1.
template <class Shape, int kLanes, class V, class A>
__device__ std::int32_t sum_of_parts(const CsrSpmmPass<V, A>& p, bool has_part, std::uint32_t number, RowLane lane,
                                     int first_lane, A (&sums)[Shape::kColumns]) {
    const auto nonzero_lane = static_cast<std::uint32_t>(threadIdx.x % kWarpSize / (kWarpSize / kLanes));
    const RowPartOfCsr part = has_part ? load_wide(p.parts + number) : RowPartOfCsr{};
    const auto at = [&](std::uint32_t partial, int c) {
        return p.partials + std::int64_t{partial} * p.columns + lane.column<Shape>(c);
    };
#pragma unroll
    for (int c = 0; c < Shape::kColumns; ++c) {
        if (has_part && nonzero_lane == 0 && lane.column<Shape>(c) < p.columns) *at(number, c) = sums[c];
        sums[c] = 0;
    }
    __syncwarp();
    bool is_last = false;
    if (has_part && nonzero_lane == 0 && lane.number == 0) {
        const ::cuda::atomic_ref<unsigned, ::cuda::thread_scope_device> arrived(p.arrivals[part.first]);
        is_last = arrived.fetch_add(1, ::cuda::memory_order_acq_rel) + 1 == part.count;
        if (is_last) arrived.store(0, ::cuda::memory_order_relaxed);
    }
    is_last = __shfl_sync(kAllLanes, static_cast<int>(is_last), first_lane) != 0 && has_part;
    // Loads of several parts are under way at once, without branches: others stand in for parts and columns that are
    // not there, which are not added or not written.
    constexpr std::uint32_t kParts = Shape::kColumns * sizeof(A) > 32 ? 1 : 4;
    const A* columns[Shape::kColumns];
#pragma unroll
    for (int c = 0; c < Shape::kColumns; ++c) {
        columns[c] =
            as_one(p.partials + std::int64_t{part.first} * p.columns + min(lane.column<Shape>(c), p.columns - 1));
    }
    for (std::uint32_t i = nonzero_lane; is_last && i < part.count; i += kParts * kLanes) {
        A left[kParts][Shape::kColumns];
#pragma unroll
        for (std::uint32_t j = 0; j < kParts; ++j) {
            const std::uint32_t at_part = min(i + j * kLanes, part.count - 1) * static_cast<std::uint32_t>(p.columns);
#pragma unroll
            for (int c = 0; c < Shape::kColumns; ++c) left[j][c] = __ldcg(columns[c] + at_part);
        }
#pragma unroll
        for (std::uint32_t j = 0; j < kParts; ++j) {
#pragma unroll
            for (int c = 0; c < Shape::kColumns; ++c) sums[c] += i + j * kLanes < part.count ? left[j][c] : A(0);
        }
    }
    add_lanes<kLanes>(sums);
    return is_last ? static_cast<std::int32_t>(part.row) : -1;
}

/// X in row-major layout, or not `kIsAligned`; Y in any layout.
template <class V, class A, int kLanes, int kChunks, bool kIsAligned>
__global__ void __launch_bounds__(kPieceThreads,
                                  resident(PieceShape<V, A, kChunks, kIsAligned>::kBlocks, kPieceThreads))
    multiply_csr_pieces(const __grid_constant__ CsrSpmmPass<V, A> p) {
    using Shape = PieceShape<V, A, kChunks, kIsAligned>;
    using Team = PieceTeam<Shape, kLanes>;
    const Team team(p.columns);
    const int column_lane = static_cast<int>(threadIdx.x) % Team::kColumnLanes;
    const int nonzero_lane = static_cast<int>(threadIdx.x) % kWarpSize / Team::kColumnLanes;
    const int of_warp = column_lane / team.lanes;
    const RowLane lane{team.lanes, column_lane % team.lanes};
    const std::int64_t warp = (std::int64_t{blockIdx.x} * kPieceThreads + threadIdx.x) / kWarpSize;
    const std::int64_t number = warp * team.of_warp + of_warp;
    const bool has_piece = of_warp < team.of_warp && number < p.count;
    const CsrPiece piece = has_piece ? load_wide(p.pieces + number) : CsrPiece{};
    if (p.values_may_change) wait_for_stream();
    PieceNonzeros<V, kLanes, Shape::kFlight> nonzeros(p, piece, nonzero_lane);
    nonzeros.load();
    wait_for_stream();
    A sums[Shape::kColumns] = {};
    while (true) {
        RowPart<V, Shape> x[Shape::kFlight];
#pragma unroll
        for (int i = 0; i < Shape::kFlight; ++i) {
            load_part(x[i], nonzeros.cols[i] != nonzeros.kNone, p.x, nonzeros.cols[i], lane, p.columns);
        }
#pragma unroll
        for (int i = 0; i < Shape::kFlight; ++i) {
#pragma unroll
            for (int c = 0; c < Shape::kColumns; ++c) {
                sums[c] += static_cast<A>(nonzeros.values[i]) * static_cast<A>(x[i].of(c));
            }
        }
        if (!nonzeros.has_more()) break;
        nonzeros.load();
    }
    add_lanes<kLanes>(sums);
    std::int32_t row = has_piece ? piece.target : -1;
    const bool has_part = has_piece && piece.target < 0;
    if (__any_sync(kAllLanes, has_part)) {
        const auto partial = static_cast<std::uint32_t>(-1 - piece.target);
        const int first_lane = has_piece ? of_warp * team.lanes : 0;
        A of_parts[Shape::kColumns];
#pragma unroll
        for (int c = 0; c < Shape::kColumns; ++c) of_parts[c] = sums[c];
        const std::int32_t whole = sum_of_parts<Shape, kLanes>(p, has_part, partial, lane, first_lane, of_parts);
        if (has_part) {
            row = whole;
#pragma unroll
            for (int c = 0; c < Shape::kColumns; ++c) sums[c] = of_parts[c];
        }
    }
    if (row < 0 || nonzero_lane != 0) return;
    write_columns<V, A, Shape>(p, row, lane, sums);
}

}  // namespace tilespmv::cuda
