#pragma once

#include "kernels/cuda/awaited_sums.cuh"
#include "kernels/cuda/dependent_launch.cuh"
#include "kernels/cuda/load.cuh"
#include "kernels/cuda/product.cuh"
#include "kernels/cuda/tuning.hpp"
#include "kernels/operators/sell/sell.hpp"
#include "selector/work_sizes.hpp"

namespace tilespmv::cuda {

static_assert(kSliceLanes == kWarpSize);
inline constexpr int kSellWarps = kSellThreads / kWarpSize;
static_assert((kSellWarps & (kSellWarps - 1)) == 0 && kSellWarps < 255, "pieces of a row divide a block");
/// Words of 32 rows each of which a warp writes the empty ones.
inline constexpr int kEmptyWords = 8;
/// Code of a place without a nonzero.
template <class C>
inline constexpr C kNoCode = static_cast<C>(-1);
static_assert(sell_code_bytes(kNoCode<std::uint16_t>) == 4 && sell_code_bytes(kNoCode<std::uint16_t> - 1) == 2);

/// A matrix by a `SellPlan`, in device memory. The code of a nonzero, of 16 or 32 bits, is its column.
template <class V, class C>
struct DeviceSell {
    const SellSlice* slices = nullptr;
    std::int64_t slice_count = 0;
    std::int64_t pieces = 0;
    const std::uint32_t* rows = nullptr;
    const SplitRow* splits = nullptr;
    const std::uint32_t* split_of = nullptr;
    const C* codes = nullptr;
    const V* values = nullptr;
    const std::uint32_t* empty = nullptr;
    std::int64_t empty_words = 0;
};

/// Everything one product reads and writes, all of it in device memory.
template <class V, class A, class C>
struct SellSpmv : ProductTerms<V, A> {
    DeviceSell<V, C> a;
    BitsOf<A>* partials = nullptr;  ///< of blocks of pieces, for `AwaitedSums`
};

/// Whether a warp of this block has a piece.
template <class V, class A, class C>
__device__ bool has_pieces(const SellSpmv<V, A, C>& p) {
    return std::int64_t{blockIdx.x} * kSellWarps < p.a.pieces;
}

/// The work of a warp: a slice. `load` asks for steps of the matrix, which does not need x; `add` multiplies them.
template <class V, class A, class C, int kFlight>
class SliceProduct {
public:
    __device__ SliceProduct(const SellSpmv<V, A, C>& p, std::int64_t number) : p_(p), number_(number) {
        const SellSlice slice = load_wide(p_.a.slices + number);
        lanes_log2_ = slice.lanes_log2;
        rows_ = slice.rows;
        steps_ = slice.steps;
        const std::uint64_t place = slice.first_step * kSliceLanes + lane();
        next_codes_ = as_one(p_.a.codes + place);
        next_values_ = as_one(p_.a.values + place);
        row_ = load_often(p_.a.rows + slice.first_row + (has_row() ? row_of_lane() : 0));
    }

    /// That are not loaded yet.
    [[nodiscard]] __device__ int steps() const { return steps_; }

    /// The next kSteps steps, as far as there are so many.
    template <int kSteps = kFlight>
    __device__ void load() {
#pragma unroll
        for (int i = 0; i < kSteps; ++i) {
            codes_[i] = load_once_if(i < steps_, next_codes_ + i * kSliceLanes, p_.cache_policy, kNoCode<C>);
        }
#pragma unroll
        for (int i = 0; i < kSteps; ++i) {
            values_[i] = load_once_if(i < steps_, next_values_ + i * kSliceLanes, p_.cache_policy, V{});
        }
        next_codes_ = as_one(next_codes_ + kSteps * kSliceLanes);
        next_values_ = as_one(next_values_ + kSteps * kSliceLanes);
        steps_ -= kSteps;
    }

    /// Multiplies what was loaded last; values of places without a nonzero are 0.
    template <int kSteps = kFlight>
    __device__ void add() {
        V factors[kSteps];
#pragma unroll
        for (int i = 0; i < kSteps; ++i) factors[i] = codes_[i] == kNoCode<C> ? V{} : load_x(p_.x + codes_[i]);
#pragma unroll
        for (int i = 0; i < kSteps; ++i) sum_ += static_cast<A>(values_[i]) * static_cast<A>(factors[i]);
    }

    /// Writes the sums of rows. All warps of a block with pieces call it, with memory that they share.
    __device__ void finish(A (&shared)[kSellWarps]) {
#pragma unroll 1
        for (int lanes = (1 << lanes_log2_) / 2; lanes > 0; lanes /= 2) sum_ += __shfl_xor_sync(kAllLanes, sum_, lanes);
        if (has_pieces(p_) && !takes_other_pieces(shared)) return;
        if (has_row() && lane() == row_of_lane() << lanes_log2_) p_.write(row_, sum_);
    }

private:
    [[nodiscard]] static __device__ unsigned lane() { return threadIdx.x % kWarpSize; }
    [[nodiscard]] __device__ unsigned row_of_lane() const { return lane() >> lanes_log2_; }
    [[nodiscard]] __device__ bool has_row() const { return row_of_lane() < rows_; }

    /// In a block with pieces: whether this warp writes, if it has a piece the sum of all pieces of its row.
    [[nodiscard]] __device__ bool takes_other_pieces(A (&shared)[kSellWarps]) {
        const unsigned warp = threadIdx.x / kWarpSize;
        if (lane() == 0) shared[warp] = sum_;
        __syncthreads();
        if (number_ >= p_.a.pieces) return true;
        const unsigned in_block = min(rows_, unsigned{kSellWarps});
        if (warp % in_block != 0) return false;
        sum_ = 0;
        for (unsigned i = 0; i < in_block; ++i) sum_ += shared[warp + i];
        return rows_ <= kSellWarps || takes_other_blocks();
    }

    /// The last block of a row that has several waits for the others.
    [[nodiscard]] __device__ bool takes_other_blocks() {
        const AwaitedSums<A> partials(p_.partials);
        const SplitRow split = p_.a.splits[load_often(p_.a.split_of + number_)];
        const std::int64_t first = split.first_partial / kSellWarps;
        const std::int64_t block = blockIdx.x;
        if (block + 1 < first + split.partials / kSellWarps) {
            if (lane() == 0) partials.leave(block, sum_);
            return false;
        }
        sum_ += take_sums(partials, first, block);
        return true;
    }

    const SellSpmv<V, A, C>& p_;
    std::int64_t number_;
    unsigned lanes_log2_;
    unsigned rows_;
    int steps_;
    const C* next_codes_;
    const V* next_values_;
    std::uint32_t row_;
    C codes_[kFlight];
    V values_[kFlight];
    A sum_ = 0;
};

/// Writes the empty rows of `kEmptyWords` words from `first` on; waits for the stream.
template <class V, class A, class C>
__device__ void write_empty_rows(const SellSpmv<V, A, C>& p, std::int64_t first) {
    const unsigned lane = threadIdx.x % kWarpSize;
    bool is_empty[kEmptyWords];
#pragma unroll
    for (int i = 0; i < kEmptyWords; ++i) {
        is_empty[i] = first + i < p.a.empty_words && (load_often(p.a.empty + first + i) >> lane & 1u) != 0;
    }
    wait_for_stream();
#pragma unroll
    for (int i = 0; i < kEmptyWords; ++i) {
        if (is_empty[i]) p.write((first + i) * 32 + lane, A(0));
    }
}

/// y = alpha * A * x + beta * y: a warp for each slice, then warps for the empty rows; none of these in a block with
/// pieces.
template <class V, class A, class C>
__global__ void __launch_bounds__(kSellThreads, resident(kSellBlocks<sizeof(V)>, kSellThreads))
    sell_spmv(const __grid_constant__ SellSpmv<V, A, C> p) {
    constexpr int kFlight = sell_flight(sizeof(V), sizeof(C));
    __shared__ A shared[kSellWarps];
    const std::int64_t number = std::int64_t{blockIdx.x} * kSellWarps + static_cast<int>(threadIdx.x) / kWarpSize;
    if (number >= p.a.slice_count) {
        write_empty_rows(p, (number - p.a.slice_count) * kEmptyWords);
        return;
    }
    SliceProduct<V, A, C, kFlight> slice(p, number);
    // All loads of the matrix are under way before the first of x.
    const auto multiply = [&]<int kSteps>(std::integral_constant<int, kSteps>) {
        slice.template load<kSteps>();
        wait_for_stream();
        slice.template add<kSteps>();
    };
    if (slice.steps() == 1) {
        multiply(std::integral_constant<int, 1>{});
    } else if (slice.steps() == 2) {
        multiply(std::integral_constant<int, 2>{});
    } else {
#pragma unroll 1
        do multiply(std::integral_constant<int, kFlight>{});
        while (slice.steps() > 0);
    }
    slice.finish(shared);
}

}  // namespace tilespmv::cuda
