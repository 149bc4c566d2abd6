#pragma once

#include "kernels/cuda/dependent_launch.cuh"
#include "kernels/cuda/load.cuh"
#include "kernels/cuda/product.cuh"
#include "kernels/cuda/split.cuh"
#include "kernels/cuda/tuning.hpp"
#include "kernels/cuda/warp.cuh"
#include "kernels/operators/tile/dense_runs.hpp"

namespace tilespmv::cuda {

/// The dense tile rows of a matrix in device memory.
template <class V, class A>
struct DeviceDense {
    const DenseRun* runs = nullptr;
    std::int64_t run_count = 0;
    const TileEntry* tiles = nullptr;
    const V* values = nullptr;
    const SplitRow* splits = nullptr;
    A* partials = nullptr;         ///< 16 a run of a split tile row
    unsigned* arrivals = nullptr;  ///< one a split row, 0 before and after every product
};

template <class A, int kThreads>
struct DenseStage {
    A sums[kThreads / kTileSize][kTileSize];
    bool is_last;
};

/// The work of a block of kThreads on one run. A thread loads 16 bytes at a time: consecutive rows of one column, the
/// same rows every time, whose sums it keeps in registers.
template <class V, class A, int kThreads>
class DenseProduct {
public:
    __device__ DenseProduct(const DeviceDense<V, A>& d, const ProductTerms<V, A>& p, DenseStage<A, kThreads>& stage,
                            const DenseRun& run)
        : d_(d), p_(p), stage_(stage), run_(run) {}

    __device__ void run() const {
        A sums[kRows] = {};
        const V* values = d_.values + run_.first_tile * kTileValues;
        const int count = static_cast<int>(run_.tiles) * kTileValues;
#pragma unroll 1
        for (int at = thread_ * kRows; at < count; at += kInFlight * kStep) add(values, at, count, sums);
        sum_of_block(sums);
    }

private:
    static constexpr int kTileValues = kTileSize * kTileSize;
    static constexpr int kRows = 16 / static_cast<int>(sizeof(V));  // of a load
    static constexpr int kStep = kThreads * kRows;
    static constexpr int kInFlight = KernelTuning<sizeof(V)>::kDenseFlight;
    static_assert(kInFlight * kStep % kTileValues == 0);
    static constexpr int kThreadsPerColumn = kTileSize / kRows;
    static constexpr int kWarps = kThreads / kWarpSize;

    struct alignas(16) Column {
        V rows[kRows];
    };

    /// Adds kInFlight columns. Everything is asked for before the first of it is waited for.
    __device__ void add(const V* values, int first, int count, A (&sums)[kRows]) const {
        Column columns[kInFlight];
        index_t tile_columns[kInFlight];
        V x[kInFlight];
#pragma unroll
        for (int i = 0; i < kInFlight; ++i) {
            const int at = first + i * kStep;
            const bool inside = at < count;
            columns[i] = {};
            if (inside) columns[i] = load_once(reinterpret_cast<const Column*>(values + at), p_.cache_policy);
            tile_columns[i] = inside ? d_.tiles[run_.first_tile + at / kTileValues].column() : -1;
        }
        wait_for_stream();
        const int column = thread_ * kRows / kTileSize;  // in a tile, of the first; steps go on from there
#pragma unroll
        for (int i = 0; i < kInFlight; ++i) {
            const int own = (column + i * (kStep / kTileSize)) % kTileSize;
            x[i] = tile_columns[i] >= 0 ? load_x(p_.x + std::int64_t{tile_columns[i]} * kTileSize + own) : V{};
        }
#pragma unroll
        for (int i = 0; i < kInFlight; ++i) {
#pragma unroll
            for (int r = 0; r < kRows; ++r) {
                sums[r] += static_cast<A>(columns[i].rows[r]) * static_cast<A>(x[i]);
            }
        }
    }

    __device__ void sum_of_block(A (&sums)[kRows]) const {
        const int lane = thread_ % kWarpSize;
#pragma unroll
        for (int r = 0; r < kRows; ++r) {
            for (int step = kWarpSize / 2; step >= kThreadsPerColumn; step /= 2) {
                sums[r] += __shfl_xor_sync(kAllLanes, sums[r], step);
            }
            if (lane < kThreadsPerColumn) stage_.sums[thread_ / kWarpSize][lane * kRows + r] = sums[r];
        }
        __syncthreads();
        A sum = 0;
        if (thread_ < kTileSize) {
            for (int w = 0; w < kWarps; ++w) sum += stage_.sums[w][thread_];
        }
        if (run_.partial >= 0 && !sum_of_runs(sum)) return;
        if (thread_ < kTileSize) p_.write(std::int64_t{run_.tile_row} * kTileSize + thread_, sum);
    }

    /// Leaves the sums of the first 16 threads as the run's partial sums. Whether this block is the last of the tile
    /// row's to do so; then they become those of all runs, added in their order.
    __device__ bool sum_of_runs(A& sum) const {
        const SplitRow split = d_.splits[run_.split];
        if (thread_ < kTileSize) d_.partials[std::int64_t{run_.partial} * kTileSize + thread_] = sum;
        if (!are_last(d_.arrivals[run_.split], split.partials, stage_.is_last)) return false;
        const int part = thread_ / kTileSize;
        const int row = thread_ % kTileSize;
        A own = 0;
        for (std::uint32_t s = static_cast<std::uint32_t>(part); s < split.partials; s += kThreads / kTileSize) {
            own += __ldcg(d_.partials + std::int64_t{split.first_partial + s} * kTileSize + row);
        }
        stage_.sums[part][row] = own;
        __syncthreads();
        sum = 0;
        if (part == 0) {
            for (const auto& sums : stage_.sums) sum += sums[row];
        }
        return true;
    }

    const DeviceDense<V, A>& d_;
    const ProductTerms<V, A>& p_;
    DenseStage<A, kThreads>& stage_;
    const DenseRun& run_;
    const int thread_ = static_cast<int>(threadIdx.x);
};

}  // namespace tilespmv::cuda
