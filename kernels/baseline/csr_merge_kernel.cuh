#pragma once

#include <cuda/atomic>

#include "kernels/baseline/csr_kernel.cuh"
#include "kernels/baseline/merge_path.hpp"

namespace tilespmv::baseline {

/// One product by merge path. A block has equally many items; what a row that is cut gets from each of its blocks waits
/// in `partials` for the last of them to arrive, which adds it up in the order of the blocks.
template <class V, class A, class P>
struct MergeSpmv : CsrSpmv<V, A, P> {
    const index_t* first_rows = nullptr;  ///< blocks + 1: row ends before the first item of a block
    std::int64_t items = 0;               ///< rows + nnz
    A* partials = nullptr;                ///< 2 * blocks: of the row that a block leaves open, then of the one it ends
    unsigned* arrivals = nullptr;         ///< a block's: for the row it leaves open first; 0 before and after a product
};

inline constexpr int kMergeThreads = 256;

template <int kItems>
inline constexpr int kMergeBlockItems = kMergeThreads* kItems;

/// Shared memory of a block.
template <class A, int kItems>
struct MergeStage {
    A values[kMergeBlockItems<kItems>];                ///< products from the front, sums of rows behind them
    unsigned ends[kMergeBlockItems<kItems> / 32 + 1];  ///< a bit per item: the end of a row?
    A warp_open[kMergeThreads / kWarpSize];            ///< what each warp leaves to the row open at its end
    unsigned warp_ends[kMergeThreads / kWarpSize];     ///< lanes with ends of rows
    A open;                                            ///< what the block leaves to the row open at its end
};

/// The work of one block; kItems items a thread.
template <class V, class A, class P, int kItems>
class MergeProduct {
public:
    __device__ MergeProduct(const MergeSpmv<V, A, P>& p, MergeStage<A, kItems>& stage)
        : p_(p), stage_(stage), first_row_(p.first_rows[blockIdx.x]), rows_(p.first_rows[blockIdx.x + 1] - first_row_) {
        const std::int64_t item = std::int64_t{blockIdx.x} * kBlockItems;
        const std::int64_t left = p.items - item;
        first_ = static_cast<P>(item - first_row_);
        products_ = static_cast<int>(left < kBlockItems ? left : kBlockItems) - rows_;
    }

    __device__ void run() {
        for (int i = thread_; i < kEndWords; i += kMergeThreads) stage_.ends[i] = 0;
        __syncthreads();
        stage_products();
        __syncthreads();
        add_up();
        write_whole_rows();
        write_cut_rows();
    }

private:
    static constexpr int kBlockItems = kMergeBlockItems<kItems>;
    static constexpr int kEndWords = kBlockItems / 32 + 1;

    __device__ void stage_products() {
        Nonzeros<V, kItems> nonzeros;
        nonzeros.load(p_.a, first_ + static_cast<P>(thread_), first_ + static_cast<P>(products_), P{kMergeThreads});
        for (int i = thread_; i < rows_; i += kMergeThreads) {
            const int item = static_cast<int>(p_.a.row_ptrs[first_row_ + i + 1] - first_) + i;
            atomicOr(&stage_.ends[item / 32], 1u << item % 32);
        }
        A products[kItems];
        nonzeros.multiply(p_.x, products);
#pragma unroll
        for (int i = 0; i < kItems; ++i) {
            const int at = thread_ + i * kMergeThreads;
            if (at < products_) stage_.values[at] = products[i];
        }
    }

    /// Each thread adds up its own items, then what the threads before it left to the first row that it ends.
    __device__ void add_up() {
        const unsigned ends = ends_of_thread();
        const int row = row_of_thread(ends);
        A open = add_items(ends, row);
        const unsigned lanes = __ballot_sync(kAllLanes, ends != 0);
        open = add_open_of_lanes(open, lanes);
        const A of_lane_before = __shfl_up_sync(kAllLanes, open, 1);
        if (lane_.id == kWarpSize - 1) {
            stage_.warp_open[warp_] = open;
            stage_.warp_ends[warp_] = lanes;
        }
        __syncthreads();
        const A of_warps = open_of_warps_before();
        if (ends != 0) {
            const A of_lanes = lane_.id > 0 ? of_lane_before : A(0);
            const bool reaches_back = (lanes & ((1u << lane_.id) - 1u)) == 0;
            stage_.values[products_ + row] += of_lanes + (reaches_back ? of_warps : A(0));
        }
        if (thread_ == kMergeThreads - 1) stage_.open = open + (lanes == 0 ? of_warps : A(0));
        __syncthreads();
    }

    /// A bit for each item of the thread.
    [[nodiscard]] __device__ unsigned ends_of_thread() const {
        const int first = thread_ * kItems;
        const unsigned low = stage_.ends[first / 32];
        const unsigned high = stage_.ends[first / 32 + 1];
        return __funnelshift_r(low, high, static_cast<unsigned>(first % 32)) & ((1u << kItems) - 1u);
    }

    /// Ends of rows in the block before the thread's items; those of a warp fill kItems words.
    [[nodiscard]] __device__ int row_of_thread(unsigned ends) const {
        int before_warp = 0;
        for (int i = lane_.id; i < warp_ * kItems; i += kWarpSize) before_warp += __popc(stage_.ends[i]);
        const auto before_lane = cuda::exclusive_scan(static_cast<unsigned>(__popc(ends)), lane_);
        return cuda::sum_of_warp(before_warp) + static_cast<int>(before_lane);
    }

    /// Writes the sum of each row that the thread ends; returns that of the row that it leaves open.
    __device__ A add_items(unsigned ends, int row) {
        A products[kItems];
        int k = thread_ * kItems - row;
#pragma unroll
        for (int i = 0; i < kItems; ++i) {
            const bool is_product = (ends >> i & 1u) == 0 && k < products_;
            products[i] = is_product ? stage_.values[k] : A(0);
            k += is_product;
        }
        A sum = 0;
#pragma unroll
        for (int i = 0; i < kItems; ++i) {
            if ((ends >> i & 1u) != 0) {
                stage_.values[products_ + row++] = sum;
                sum = 0;
            } else {
                sum += products[i];
            }
        }
        return sum;
    }

    /// Adds what the lanes before leave open, back to the last one of `lanes`, those that end a row.
    [[nodiscard]] __device__ A add_open_of_lanes(A open, unsigned lanes) const {
        const unsigned up_to_here = lanes & (kAllLanes >> (kWarpSize - 1 - lane_.id));
        const int start = up_to_here == 0 ? 0 : kWarpSize - 1 - __clz(static_cast<int>(up_to_here));
#pragma unroll
        for (int step = 1; step < kWarpSize; step *= 2) {
            const A before = __shfl_up_sync(kAllLanes, open, static_cast<unsigned>(step));
            if (lane_.id - step >= start) open += before;
        }
        return open;
    }

    [[nodiscard]] __device__ A open_of_warps_before() const {
        A open = 0;
        for (int i = 0; i < warp_; ++i) open = stage_.warp_open[i] + (stage_.warp_ends[i] == 0 ? open : A(0));
        return open;
    }

    [[nodiscard]] __device__ bool begins_inside_row() const { return p_.a.row_ptrs[first_row_] < first_; }

    __device__ void write_whole_rows() const {
        const int from = begins_inside_row() ? 1 : 0;
        for (int i = from + thread_; i < rows_; i += kMergeThreads)
            p_.write(first_row_ + i, stage_.values[products_ + i]);
    }

    __device__ void write_cut_rows() const {
        const std::int64_t blocks = gridDim.x;
        const index_t open_row = first_row_ + rows_;
        if (warp_ == 0 && rows_ > 0 && begins_inside_row()) {
            add_cut_row(first_row_, p_.partials + blocks + blockIdx.x, stage_.values[products_]);
        } else if (warp_ == 1 && p_.a.row_ptrs[open_row] < first_ + static_cast<P>(products_)) {
            add_cut_row(open_row, p_.partials + blockIdx.x, stage_.open);
        }
    }

    /// Leaves the block's part of a row; the last warp to do so adds all of them, in the order of the blocks.
    __device__ void add_cut_row(index_t row, A* partial, A value) const {
        const std::int64_t first_block = (static_cast<std::int64_t>(p_.a.row_ptrs[row]) + row) / kBlockItems;
        const std::int64_t last_block = (static_cast<std::int64_t>(p_.a.row_ptrs[row + 1]) + row) / kBlockItems;
        unsigned arrived = 0;
        if (lane_.id == 0) {
            *partial = value;
            const ::cuda::atomic_ref<unsigned, ::cuda::thread_scope_device> arrivals(p_.arrivals[first_block]);
            arrived = arrivals.fetch_add(1, ::cuda::memory_order_acq_rel);
        }
        if (std::int64_t{__shfl_sync(kAllLanes, arrived, 0)} != last_block - first_block) return;
        ::cuda::atomic_thread_fence(::cuda::memory_order_acquire, ::cuda::thread_scope_device);
        A sum = 0;
        for (std::int64_t b = first_block + lane_.id; b < last_block; b += kWarpSize) sum += __ldcg(p_.partials + b);
        sum = cuda::sum_of_warp(sum) + __ldcg(p_.partials + std::int64_t{gridDim.x} + last_block);
        if (lane_.id != 0) return;
        p_.write(row, sum);
        p_.arrivals[first_block] = 0;
    }

    const MergeSpmv<V, A, P>& p_;
    MergeStage<A, kItems>& stage_;
    const cuda::Lane lane_;
    const int thread_ = static_cast<int>(threadIdx.x);
    const int warp_ = thread_ / kWarpSize;
    const index_t first_row_;
    const int rows_;  // that end in the block
    P first_;         // nonzero
    int products_;
};

template <class V, class A, class P, int kItems>
__global__ void __launch_bounds__(kMergeThreads, kItems > 7 ? 4 : 5)
    csr_merge(const __grid_constant__ MergeSpmv<V, A, P> p) {
    __shared__ MergeStage<A, kItems> stage;
    MergeProduct<V, A, P, kItems>(p, stage).run();
}

/// What find_first_rows reads and writes.
template <class P>
struct FirstRows {
    const P* row_ptrs = nullptr;
    index_t rows = 0;
    std::int64_t items = 0;  ///< rows + nnz
    int block_items = 0;
    index_t* first_rows = nullptr;  ///< count
    std::int64_t count = 0;         ///< blocks + 1
};

/// Where the blocks of csr_merge begin.
template <class P>
__global__ void find_first_rows(FirstRows<P> p) {
    const std::int64_t i = std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x;
    if (i >= p.count) return;
    const std::int64_t item = i * p.block_items;
    p.first_rows[i] = row_ends_before(p.row_ptrs, p.rows, item < p.items ? item : p.items);
}

}  // namespace tilespmv::baseline
