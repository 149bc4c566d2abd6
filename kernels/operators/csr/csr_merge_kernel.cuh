#pragma once

#include "kernels/cuda/awaited_sums.cuh"
#include "kernels/cuda/tuning.hpp"
#include "kernels/operators/csr/csr_kernel.cuh"
#include "kernels/operators/csr/merge_path.hpp"

namespace tilespmv::cuda {

/// How many nonzeros a block has room for, kItems for each thread.
template <int kItems>
inline constexpr int kMergeRoom = kMergeThreads* kItems;

template <int kItems>
inline constexpr MergePieces kMergePieces{.items = kMergeRoom<kItems> / kMergeSlack * (kMergeSlack - 1),
                                          .slack = kMergeRoom<kItems> / kMergeSlack};

/// One product by merge path, a block for each piece. What a block has of a row that ends in a later one waits in
/// `partials` for the block that ends the row, which adds all of them up in their order.
template <class V, class A, class P>
struct MergeSpmv : CsrSpmv<V, A, P> {
    const MergeStart* starts = nullptr;  ///< blocks + 1
    std::int64_t items = 0;              ///< rows + nnz
    BitsOf<A>* partials = nullptr;       ///< a block's `AwaitedSums`
};

/// Shared memory of a block.
template <class A, int kItems>
struct MergeStage {
    A products[kMergeRoom<kItems>];
    std::uint16_t ends[kMergePieces<kItems>.items + 2];  ///< of the parts of the block, behind a 0
    A warp_sums[kMergeThreads / kWarpSize];
};

/// The work of one block. It consists of parts: the rows that end in it, and behind them what it has of a row that ends
/// in a later block. The first part may begin in an earlier one.
template <class V, class A, class P, int kItems>
class MergeProduct {
public:
    __device__ MergeProduct(const MergeSpmv<V, A, P>& p, MergeStage<A, kItems>& stage)
        : MergeProduct(p, stage, p.starts[blockIdx.x], p.starts[blockIdx.x + 1]) {}

    __device__ void run() {
        stage_products();
        __syncthreads();
        if (log_team_ > kLogWarp) {
            add_up_by_warps();
        } else {
            add_up_by_lanes();
        }
        if (blocks_back_ > 0 && rows_ > 0 && warp_ == 0) end_cut_row();
    }

private:
    static constexpr int kBlockItems = kMergePieces<kItems>.items;
    static constexpr int kLogWarp = 5;

    __device__ MergeProduct(const MergeSpmv<V, A, P>& p, MergeStage<A, kItems>& stage, MergeStart start,
                            MergeStart next)
        : p_(p),
          stage_(stage),
          row_(start.row),
          rows_(next.row - start.row),
          blocks_back_(-start.back),
          parts_(rows_ + (next.is_inside_row() ? 1 : 0)),
          log_team_(log2_of(kMergeThreads) - (parts_ > 1 ? log2_of(parts_ - 1) + 1 : 0)) {
        const std::int64_t item = std::int64_t{blockIdx.x} * kBlockItems;
        const std::int64_t next_item = item + kBlockItems < p.items ? item + kBlockItems : p.items;
        first_ = static_cast<P>(start.nonzero(item));
        products_ = static_cast<int>(next.nonzero(next_item) - start.nonzero(item));
    }

    static __device__ int log2_of(int x) { return 31 - __clz(x); }

    __device__ void stage_products() {
        const P end = first_ + static_cast<P>(products_);
        Nonzeros<V, kItems> nonzeros;
        nonzeros.load(p_.a, first_ + static_cast<P>(thread_), end > 0 ? end : 1, P{kMergeThreads}, p_.cache_policy);
        const P row_end = load_once(p_.a.row_ptrs + row_ + (thread_ < rows_ ? thread_ + 1 : 0), p_.cache_policy);
        A products[kItems];
        nonzeros.multiply(p_.x, products);
        stage_ends(row_end);
#pragma unroll
        for (int i = 0; i < kItems; ++i) stage_.products[thread_ + i * kMergeThreads] = products[i];
    }

    /// The ends of the parts; `row_end` is that of the thread's first row.
    __device__ void stage_ends(P row_end) {
        const P* const row_ends = p_.a.row_ptrs + row_ + 1;
        if (thread_ < rows_) stage_.ends[thread_ + 1] = static_cast<std::uint16_t>(row_end - first_);
#pragma unroll 2
        for (int i = thread_ + kMergeThreads; i < rows_; i += kMergeThreads) {
            stage_.ends[i + 1] = static_cast<std::uint16_t>(load_once(row_ends + i, p_.cache_policy) - first_);
        }
        if (thread_ == 0) stage_.ends[0] = 0;
        if (thread_ == 0 && parts_ > rows_) stage_.ends[parts_] = static_cast<std::uint16_t>(products_);
    }

    /// One or more warps add up a part.
    __device__ void add_up_by_warps() {
        const int part = thread_ >> log_team_;
        const int lane = thread_ & ((1 << log_team_) - 1);
        A sum = 0;
        if (part < parts_) sum = add_products(stage_.ends[part] + lane, stage_.ends[part + 1], 1 << log_team_);
        sum = sum_of_warp(sum);
        if (lane_.id == 0) stage_.warp_sums[warp_] = sum;
        __syncthreads();
        if (part >= parts_ || lane != 0) return;
        for (int i = 1; i < 1 << (log_team_ - kLogWarp); ++i) sum += stage_.warp_sums[warp_ + i];
        write(part, sum);
    }

    /// The lanes of a team add up a part, those of the whole warp a long one.
    __device__ void add_up_by_lanes() {
        const int team = 1 << (log_team_ > 0 ? log_team_ : 0);
        const int lane = thread_ & (team - 1);
        for (int base = 0; base < parts_; base += kMergeThreads / team) {
            const int part = base + thread_ / team;
            const int begin = part < parts_ ? stage_.ends[part] : 0;
            const int end = part < parts_ ? stage_.ends[part + 1] : 0;
            const bool is_long = end - begin > kMergeShortSteps * team;
            A sum = is_long ? A(0) : add_products(begin + lane, end, team);
            for (int step = team / 2; step > 0; step /= 2) sum += __shfl_xor_sync(kAllLanes, sum, step);
            unsigned long_parts = __ballot_sync(kAllLanes, is_long && lane == 0);
            for (; long_parts != 0; long_parts &= long_parts - 1) {
                const int of = __ffs(static_cast<int>(long_parts)) - 1;
                const A all = add_long_part(begin, end, of);
                if (lane_.id == of) sum = all;
            }
            if (part < parts_ && lane == 0) write(part, sum);
        }
    }

    /// The sum of the part that lane `of` has to add up, in every lane.
    [[nodiscard]] __device__ A add_long_part(int begin, int end, int of) const {
        begin = __shfl_sync(kAllLanes, begin, of);
        end = __shfl_sync(kAllLanes, end, of);
        return sum_of_warp(add_products(begin + lane_.id, end, kWarpSize));
    }

    [[nodiscard]] __device__ A add_products(int from, int end, int step) const {
        A sum = 0;
#pragma unroll 4
        for (int k = from; k < end; k += step) sum += stage_.products[k];
        return sum;
    }

    /// By one thread, the first part by the first.
    __device__ void write(int part, A sum) {
        if (part == rows_) {
            AwaitedSums<A>(p_.partials).leave(blockIdx.x, sum);
        } else if (part == 0 && blocks_back_ > 0) {
            first_part_ = sum;
        } else {
            p_.write(row_ + part, sum);
        }
    }

    /// Adds up a row that begins in an earlier block, after this block has left its part of another.
    __device__ void end_cut_row() const {
        const auto block = static_cast<std::int64_t>(blockIdx.x);
        const A sum = take_sums(AwaitedSums<A>(p_.partials), block - blocks_back_, block) + first_part_;
        if (lane_.id == 0) p_.write(row_, sum);
    }

    const MergeSpmv<V, A, P>& p_;
    MergeStage<A, kItems>& stage_;
    const Lane lane_;
    const int thread_ = static_cast<int>(threadIdx.x);
    const int warp_ = thread_ / kWarpSize;
    const index_t row_;
    const int rows_;         // that end in the block
    const int blocks_back_;  // to the one in which the first row begins, if above 0
    const int parts_;
    const int log_team_;  // of the threads for a part; below 0 if there are fewer threads than parts
    P first_;             // nonzero
    int products_;
    A first_part_ = 0;
};

template <class V, class A, class P, int kItems>
__global__ void __launch_bounds__(kMergeThreads, resident(kMergeBlocks<kItems>, kMergeThreads))
    csr_merge(const __grid_constant__ MergeSpmv<V, A, P> p) {
    __shared__ MergeStage<A, kItems> stage;
    MergeProduct<V, A, P, kItems>(p, stage).run();
}

/// What find_starts reads and writes.
template <class P>
struct MergeStarts {
    const P* row_ptrs = nullptr;
    index_t rows = 0;
    MergePieces pieces;
    MergeStart* starts = nullptr;  ///< count
    std::int64_t count = 0;        ///< blocks + 1
};

/// Where the blocks of csr_merge begin.
template <class P>
__global__ void find_starts(MergeStarts<P> p) {
    const std::int64_t i = std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x;
    if (i < p.count) p.starts[i] = merge_start(p.row_ptrs, p.rows, i, p.pieces);
}

}  // namespace tilespmv::cuda
