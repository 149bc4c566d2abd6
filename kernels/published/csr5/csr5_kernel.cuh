#pragma once

#include "kernels/cuda/awaited_sums.cuh"
#include "kernels/cuda/dependent_launch.cuh"
#include "kernels/cuda/load.cuh"
#include "kernels/cuda/open_rows.cuh"
#include "kernels/cuda/product.cuh"
#include "kernels/cuda/warp.cuh"
#include "kernels/published/csr5/csr5.hpp"

namespace tilespmv::cuda {

static_assert(kCsr5Lanes == kWarpSize);
inline constexpr int kCsr5Threads = kCsr5Tiles * kWarpSize;

/// Everything one product reads and writes, all of it in device memory. See `Csr5`.
template <class V, class A>
struct Csr5Spmv : ProductTerms<V, A> {
    const Csr5Tile* tiles = nullptr;
    std::int64_t tile_count = 0;
    const Csr5Lane* lanes = nullptr;
    const index_t* matrix_cols = nullptr;
    const V* values = nullptr;
    const std::uint32_t* ended_rows = nullptr;
    const std::uint32_t* empty_rows = nullptr;
    std::int64_t empty_count = 0;
    BitsOf<A>* partials = nullptr;  ///< `AwaitedSums` of blocks of tiles
    A* sums = nullptr;              ///< takes the sums of rows in place of y, unless null

    __device__ void write(std::int64_t row, A sum) const {
        if (sums == nullptr) {
            ProductTerms<V, A>::write(row, sum);
        } else {
            sums[row] = sum;
        }
    }
};

/// The work of one warp: a tile. Sums are of rows; a row is open where it goes on in the next lane, tile or block.
template <class V, class A, int kSigma>
class Csr5Product {
public:
    /// `open_sums`: of the tiles of the block, in shared memory.
    __device__ Csr5Product(const Csr5Spmv<V, A>& p, A (&open_sums)[kCsr5Tiles])
        : p_(p), open_sums_(open_sums), is_tile_(tile_at_ < p.tile_count) {}

    __device__ void run() {
        if (is_tile_) add_up_tile();
        __syncthreads();
        if (is_tile_) end_open_rows();
    }

private:
    __device__ void add_up_tile() {
        const V* const values = p_.values + tile_at_ * (kWarpSize * kSigma) + lane_;
        const index_t* const cols = p_.matrix_cols + tile_at_ * (kWarpSize * kSigma) + lane_;
        index_t own_cols[kSigma];
        V own_values[kSigma];
        V factors[kSigma];
        A products[kSigma];
#pragma unroll
        for (int i = 0; i < kSigma; ++i) own_cols[i] = load_once(cols + i * kWarpSize, p_.cache_policy);
#pragma unroll
        for (int i = 0; i < kSigma; ++i) own_values[i] = load_once(values + i * kWarpSize, p_.cache_policy);
        tile_ = load_wide(p_.tiles + tile_at_);
        own_ = Csr5Lane{load_once(&p_.lanes[tile_at_ * kWarpSize + lane_].bits, p_.cache_policy)};
        wait_for_stream();
#pragma unroll
        for (int i = 0; i < kSigma; ++i) factors[i] = load_x(p_.x + own_cols[i]);
#pragma unroll
        for (int i = 0; i < kSigma; ++i) products[i] = static_cast<A>(own_values[i]) * static_cast<A>(factors[i]);
        const A last = end_rows_of_lane(products);
        add_up_open_rows(last);
    }

    /// Rows that begin and end in the lane are written. The sum of the first row that ends in it stays, since it may
    /// have begun before; returned is the sum of what comes behind the last end.
    __device__ A end_rows_of_lane(const A (&products)[kSigma]) {
        const std::uint32_t ends = own_.ends();
        int n = own_.ends_before();
        A sum = 0;
#pragma unroll
        for (int i = 0; i < kSigma; ++i) {
            sum += products[i];
            if ((ends >> i & 1u) == 0) continue;
            if (n == own_.ends_before()) {
                first_sum_ = sum;
            } else {
                write(n, sum);
            }
            ++n;
            sum = 0;
        }
        return sum;
    }

    /// `sum`: of the row that is open behind the lane, as far as it is in the lane.
    __device__ void add_up_open_rows(A sum) {
        __syncwarp();  // see sum_of_lanes
        lanes_with_ends_ = __ballot_sync(kAllLanes, own_.ends() != 0);
        sum = scan_open_rows(sum, lanes_with_ends_);
        sum_before_ = sum_before(sum);
        if (lane_ != kWarpSize - 1) return;
        open_sum_ = sum;
        open_sums_[warp_] = sum;
    }

    /// With what other tiles have of rows.
    __device__ void end_open_rows() const {
        A open = 0;
        for (int i = warp_ - tile_.back_in_block(warp_); i < warp_; ++i) open += open_sums_[i];
        leave_open_row(open);
        if (lanes_with_ends_ == 0) return;
        const std::int64_t blocks_back = tile_.blocks_back(tile_at_);
        if (blocks_back > 0) open += take_sums(AwaitedSums<A>(p_.partials), block_ - blocks_back, block_);
        const bool is_first = lane_ == __ffs(static_cast<int>(lanes_with_ends_)) - 1;
        if (own_.ends() != 0) write(own_.ends_before(), (is_first ? open : A(0)) + sum_before_ + first_sum_);
    }

    /// The block's last lane leaves what the block has of a row that ends in a later one. `open`: of the row with which
    /// the tile begins.
    __device__ void leave_open_row(A open) const {
        const bool is_last_lane = warp_ == kCsr5Tiles - 1 && lane_ == kWarpSize - 1;
        const bool has_open_row = (own_.ends() >> (kSigma - 1)) == 0 && tile_at_ + 1 < p_.tile_count;
        if (!is_last_lane || !has_open_row) return;
        AwaitedSums<A>(p_.partials).leave(block_, lanes_with_ends_ == 0 ? open + open_sum_ : open_sum_);
    }

    __device__ void write(int n, A sum) const { p_.write(tile_.row(p_.ended_rows, n), sum); }

    const Csr5Spmv<V, A>& p_;
    A (&open_sums_)[kCsr5Tiles];
    const int lane_ = static_cast<int>(threadIdx.x) % kWarpSize;
    const int warp_ = static_cast<int>(threadIdx.x) / kWarpSize;
    const std::int64_t block_ = std::int64_t{blockIdx.x};
    const std::int64_t tile_at_ = block_ * kCsr5Tiles + warp_;
    const bool is_tile_;
    Csr5Tile tile_;
    Csr5Lane own_;
    unsigned lanes_with_ends_ = 0;
    A first_sum_ = 0;   // of the first row that ends in the lane, as far as it is in the lane
    A sum_before_ = 0;  // of the same row, as far as it is in lanes before
    A open_sum_ = 0;    // of the last lane: of the row behind the last end in the tile
};

/// y = alpha * A * x + beta * y: blocks of tiles, and behind them those of empty rows.
template <class V, class A, int kSigma>
__global__ void __launch_bounds__(kCsr5Threads, resident(kCsr5Blocks<kSigma>, kCsr5Threads))
    csr5_spmv(const __grid_constant__ Csr5Spmv<V, A> p) {
    __shared__ A open_sums[kCsr5Tiles];
    const std::int64_t tile_blocks = (p.tile_count + kCsr5Tiles - 1) / kCsr5Tiles;
    if (blockIdx.x < tile_blocks) {
        Csr5Product<V, A, kSigma>(p, open_sums).run();
        return;
    }
    const std::int64_t i = (blockIdx.x - tile_blocks) * kCsr5Threads + threadIdx.x;
    wait_for_stream();
    if (i < p.empty_count) p.write(p.empty_rows[i], A(0));
}

/// New values for a matrix, in the order of CSR.
template <class V>
struct Csr5Values {
    const V* csr_values = nullptr;
    offset_t nonzeros = 0;
    int sigma = 0;
    V* values = nullptr;  ///< `places`
    std::int64_t places = 0;
};

template <class V>
__global__ void place_csr5_values(const __grid_constant__ Csr5Values<V> p) {
    const std::int64_t place = std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x;
    if (place >= p.places) return;
    const std::int64_t k = csr5_nonzero(place, p.sigma);
    if (k < p.nonzeros) p.values[place] = load_often(p.csr_values + k);
}

}  // namespace tilespmv::cuda
