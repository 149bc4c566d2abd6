#pragma once

#include "kernels/cuda/awaited_sums.cuh"
#include "kernels/cuda/dependent_launch.cuh"
#include "kernels/cuda/load.cuh"
#include "kernels/cuda/open_rows.cuh"
#include "kernels/cuda/product.cuh"
#include "kernels/cuda/tuning.hpp"
#include "kernels/cuda/warp.cuh"
#include "kernels/operators/coo/coo.hpp"

namespace tilespmv::cuda {

/// Nonzeros of a thread block.
inline constexpr int kCooBlock = kCooThreads * kCooItems;

/// A `Coo` in device memory.
template <class V, class A>
struct CooView {
    const index_t* row_idxs = nullptr;
    const index_t* col_idxs = nullptr;
    const V* values = nullptr;
    offset_t nnz = 0;
    const std::uint32_t* blocks_back = nullptr;  ///< for blocks of kCooBlock
    BitsOf<A>* partials = nullptr;               ///< `AwaitedSums` of the blocks
};

/// Shared memory of a block.
template <class A>
struct CooStage {
    static constexpr int kWarps = kCooThreads / kWarpSize;

    A products[kCooBlock];
    index_t rows[kCooBlock + 1];  ///< and that of the next nonzero
    A open_sums[kWarps];          ///< behind the last row that ends in the warp
    bool has_ends[kWarps];
};

/// The work of one block: kCooBlock nonzeros, the b-th ones for block b. They are loaded side by side and go through
/// shared memory, from where each thread takes consecutive ones; a row is open where it goes on in the next lane, warp
/// or block.
template <class V, class A>
class CooProduct {
public:
    __device__ CooProduct(const CooView<V, A>& a, CooStage<A>& stage, std::uint64_t policy)
        : a_(a), stage_(stage), policy_(policy) {}

    /// Calls write(row, sum) by one thread for each row that ends in the block.
    template <class Write>
    __device__ void run(const V* x, Write&& write) {
        stage_products(x);
        __syncthreads();
        add_up_lane(write);
        __syncthreads();
        end_open_rows(write);
    }

private:
    static constexpr index_t kNone = -1;  ///< the row behind the last nonzero

    __device__ void stage_products(const V* x) {
        const offset_t first = block_ * kCooBlock + thread_;
        index_t rows[kCooItems];
        index_t cols[kCooItems];
        V values[kCooItems];
        V factors[kCooItems];
        const auto at = [&](int i) { return min(first + i * kCooThreads, a_.nnz - 1); };
#pragma unroll
        for (int i = 0; i < kCooItems; ++i) cols[i] = load_once(a_.col_idxs + at(i), policy_);
#pragma unroll
        for (int i = 0; i < kCooItems; ++i) values[i] = load_once(a_.values + at(i), policy_);
#pragma unroll
        for (int i = 0; i < kCooItems; ++i) rows[i] = load_once(a_.row_idxs + at(i), policy_);
        const index_t next = load_often(a_.row_idxs + min((block_ + 1) * kCooBlock, a_.nnz - 1));
        blocks_back_ = load_often(a_.blocks_back + block_);
        wait_for_stream();
#pragma unroll
        for (int i = 0; i < kCooItems; ++i) factors[i] = load_x(x + cols[i]);
#pragma unroll
        for (int i = 0; i < kCooItems; ++i) {
            const bool is_there = first + i * kCooThreads < a_.nnz;
            const A product = static_cast<A>(values[i]) * static_cast<A>(factors[i]);
            stage_.products[thread_ + i * kCooThreads] = is_there ? product : A(0);
            stage_.rows[thread_ + i * kCooThreads] = is_there ? rows[i] : kNone;
        }
        if (thread_ == 0) stage_.rows[kCooBlock] = (block_ + 1) * kCooBlock < a_.nnz ? next : kNone;
    }

    /// Rows that begin and end in the lane are written. The sum of the first row that ends in it stays, since it may
    /// have begun before.
    template <class Write>
    __device__ void add_up_lane(Write&& write) {
        const int first = thread_ * kCooItems;  // kCooItems is odd, so that lanes read different banks
        index_t row = stage_.rows[first];
        A sum = 0;
#pragma unroll
        for (int i = 0; i < kCooItems; ++i) {
            const index_t next = stage_.rows[first + i + 1];
            sum += stage_.products[first + i];
            if (row != next) {
                if (first_row_ == kNone) {
                    first_row_ = row;
                    first_sum_ = sum;
                } else {
                    write(row, sum);
                }
                sum = 0;
            }
            row = next;
        }
        __syncwarp();  // see sum_of_lanes
        lanes_with_ends_ = __ballot_sync(kAllLanes, first_row_ != kNone);
        open_sum_ = scan_open_rows(sum, lanes_with_ends_);
        sum_before_ = sum_before(open_sum_);
        if (lane_ != kWarpSize - 1) return;
        stage_.open_sums[warp_] = open_sum_;
        stage_.has_ends[warp_] = lanes_with_ends_ != 0;
    }

    /// With what other warps and blocks have of rows.
    template <class Write>
    __device__ void end_open_rows(Write&& write) const {
        A open = 0;  // of the row with which the warp begins
        bool is_cut = blocks_back_ > 0;
        for (int w = 0; w < warp_; ++w) {
            open = (stage_.has_ends[w] ? A(0) : open) + stage_.open_sums[w];
            is_cut = is_cut && !stage_.has_ends[w];
        }
        leave_open_row(open);
        if (lanes_with_ends_ == 0) return;
        if (is_cut) open += take_sums(AwaitedSums<A>(a_.partials), block_ - blocks_back_, block_);
        const bool is_first = lane_ == __ffs(static_cast<int>(lanes_with_ends_)) - 1;
        if (first_row_ != kNone) write(first_row_, (is_first ? open : A(0)) + sum_before_ + first_sum_);
    }

    /// The block's last thread leaves what the block has of a row that ends in a later one.
    __device__ void leave_open_row(A open) const {
        const index_t next = stage_.rows[kCooBlock];
        if (thread_ != kCooThreads - 1 || next == kNone || next != stage_.rows[kCooBlock - 1]) return;
        AwaitedSums<A>(a_.partials).leave(block_, lanes_with_ends_ == 0 ? open + open_sum_ : open_sum_);
    }

    const CooView<V, A>& a_;
    CooStage<A>& stage_;
    std::uint64_t policy_;
    const int thread_ = static_cast<int>(threadIdx.x);
    const int lane_ = thread_ % kWarpSize;
    const int warp_ = thread_ / kWarpSize;
    const std::int64_t block_ = std::int64_t{blockIdx.x};
    std::int64_t blocks_back_ = 0;
    unsigned lanes_with_ends_ = 0;
    index_t first_row_ = kNone;  // that ends in the lane
    A first_sum_ = 0;            // of it, as far as it is in the lane
    A sum_before_ = 0;           // of it, as far as it is in lanes before
    A open_sum_ = 0;             // behind the last row that ends, as far as it is in the lanes up to this one
};

/// Everything one product reads and writes, all of it in device memory.
template <class V, class A>
struct CooSpmv : ProductTerms<V, A> {
    CooView<V, A> a;
    std::int64_t blocks = 0;  ///< of nonzeros
    const std::uint32_t* empty_rows = nullptr;
    std::int64_t empty_count = 0;
};

/// y = alpha * A * x + beta * y: blocks of nonzeros, and behind them those of empty rows.
template <class V, class A>
__global__ void __launch_bounds__(kCooThreads) coo_spmv(const __grid_constant__ CooSpmv<V, A> p) {
    __shared__ CooStage<A> stage;
    if (blockIdx.x < p.blocks) {
        CooProduct<V, A>(p.a, stage, p.cache_policy).run(p.x, [&](index_t row, A sum) { p.write(row, sum); });
        return;
    }
    const std::int64_t i = (blockIdx.x - p.blocks) * kCooThreads + threadIdx.x;
    const std::uint32_t row = load_once(p.empty_rows + min(i, p.empty_count - 1), p.cache_policy);
    wait_for_stream();
    if (i < p.empty_count) p.write(row, A(0));
}

}  // namespace tilespmv::cuda
