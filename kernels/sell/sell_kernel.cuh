#pragma once

#include "kernels/cuda/dependent_launch.cuh"
#include "kernels/cuda/load.cuh"
#include "kernels/cuda/product.cuh"
#include "kernels/cuda/team.cuh"
#include "kernels/cuda/team_sum.cuh"
#include "kernels/cuda/tuning.hpp"
#include "kernels/sell/sell.hpp"

namespace tilespmv::cuda {

static_assert(kSliceLanes == kWarpSize);
inline constexpr int kSellWarps = kSellThreads / kWarpSize;
/// Words of 32 rows each of which a warp writes the empty ones.
inline constexpr int kEmptyWords = kWarpSize;
/// Code of a place without a nonzero.
inline constexpr std::uint32_t kNoCode = ~std::uint32_t{0};

/// A matrix by a `SellPlan`, in device memory. The code of a nonzero is the place of its hub, or the number of hubs and
/// its column.
template <class V>
struct DeviceSell {
    const SellSlice* slices = nullptr;
    std::int64_t slice_count = 0;
    std::int64_t pieces = 0;
    const std::uint32_t* rows = nullptr;
    const std::uint32_t* split_of = nullptr;
    const std::uint32_t* codes = nullptr;
    const V* values = nullptr;
    const std::uint32_t* empty = nullptr;
    std::int64_t empty_words = 0;
    const index_t* hubs = nullptr;
    unsigned hub_count = 0;
};

/// Everything one product reads and writes, all of it in device memory.
template <class V, class A>
struct SellSpmv : ProductTerms<V, A>, DeviceSplits<A> {
    DeviceSell<V> a;
    V* hub_x = nullptr;  ///< x of the hubs
};

/// Copies x of the hubs into one place, where those of a line of a cache are all read often.
template <class V, class A>
__global__ void gather_hubs(const __grid_constant__ SellSpmv<V, A> p) {
    const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= p.a.hub_count) return;
    const index_t hub = load_often(p.a.hubs + i);
    wait_for_stream();
    p.hub_x[i] = load_x(p.x + hub);
}

/// The work of a warp: a slice.
template <class V, class A, bool kHasHubs>
class SellProduct {
public:
    __device__ SellProduct(const SellSpmv<V, A>& p, std::int64_t slice)
        : p_(p), slice_number_(slice), slice_(load_wide(p.a.slices + slice)) {}

    __device__ void run(TeamSumStage<A, WarpTeam>& stage) {
        const bool has_row = lane_ / slice_.lanes < slice_.rows;
        const std::uint32_t row = load_often(p_.a.rows + slice_.first_row + (has_row ? lane_ / slice_.lanes : 0));
        A sum = 0;
        if (slice_.steps == 1) {
            add_steps<1>(0, sum);
        } else if (slice_.steps == 2) {
            add_steps<2>(0, sum);
        } else {
#pragma unroll 1
            for (int step = 0; step < slice_.steps; step += kFlight) add_steps<kFlight>(step, sum);
        }
#pragma unroll 1
        for (int lanes = slice_.lanes / 2; lanes > 0; lanes /= 2) sum += __shfl_xor_sync(kAllLanes, sum, lanes);
        if (slice_number_ < p_.a.pieces) {
            const auto partial = static_cast<std::int32_t>(slice_number_);
            const auto split = static_cast<std::int32_t>(load_often(p_.a.split_of + slice_number_));
            if (!sum_of_pieces<A, WarpTeam>(p_, split, partial, sum, stage)) return;
        }
        if (has_row && lane_ % slice_.lanes == 0) p_.write(row, sum);
    }

private:
    static constexpr int kFlight = KernelTuning<sizeof(V)>::kSellFlight;

    /// Adds steps [first, first + kSteps) as far as there are so many. All loads of the matrix are under way before the
    /// first of x.
    template <int kSteps>
    __device__ void add_steps(int first, A& sum) const {
        std::uint32_t codes[kSteps];
        V values[kSteps];
#pragma unroll
        for (int i = 0; i < kSteps; ++i) codes[i] = load_once(p_.a.codes + place(first + i), p_.cache_policy);
#pragma unroll
        for (int i = 0; i < kSteps; ++i) values[i] = load_once(p_.a.values + place(first + i), p_.cache_policy);
        wait_for_stream();
        V factors[kSteps];
#pragma unroll
        for (int i = 0; i < kSteps; ++i) {
            if (first + i >= slice_.steps) codes[i] = kNoCode;
            factors[i] = codes[i] == kNoCode ? V{} : load_x(x_of(codes[i]));
        }
#pragma unroll
        for (int i = 0; i < kSteps; ++i) {
            if (codes[i] != kNoCode) sum += static_cast<A>(values[i]) * static_cast<A>(factors[i]);
        }
    }

    [[nodiscard]] __device__ std::uint64_t place(int step) const {
        const auto at = static_cast<unsigned>(min(step, slice_.steps - 1));
        return (slice_.first_step + at) * kSliceLanes + static_cast<unsigned>(lane_);
    }

    [[nodiscard]] __device__ const V* x_of(std::uint32_t code) const {
        if constexpr (!kHasHubs) return p_.x + code;
        return code < p_.a.hub_count ? p_.hub_x + code : p_.x + (code - p_.a.hub_count);
    }

    const SellSpmv<V, A>& p_;
    const std::int64_t slice_number_;
    const SellSlice slice_;
    const int lane_ = static_cast<int>(threadIdx.x) % kWarpSize;
};

/// Writes the empty rows of `kEmptyWords` words from `first` on.
template <class V, class A>
__device__ void write_empty_rows(const SellSpmv<V, A>& p, std::int64_t first) {
    const int lane = static_cast<int>(threadIdx.x) % kWarpSize;
    const unsigned own = first + lane < p.a.empty_words ? load_often(p.a.empty + first + lane) : 0;
    wait_for_stream();
#pragma unroll 1
    for (int i = 0; i < kEmptyWords; ++i) {
        const unsigned word = __shfl_sync(kAllLanes, own, i);
        if ((word >> lane & 1u) != 0) p.write((first + i) * 32 + lane, A(0));
    }
}

/// y = alpha * A * x + beta * y, a warp for each slice, then warps for the empty rows.
template <class V, class A, bool kHasHubs>
__global__ void __launch_bounds__(kSellThreads, kSellBlocks) sell_spmv(const __grid_constant__ SellSpmv<V, A> p) {
    __shared__ TeamSumStage<A, WarpTeam> stages[kSellWarps];
    const int warp = static_cast<int>(threadIdx.x) / kWarpSize;
    const std::int64_t slice = std::int64_t{blockIdx.x} * kSellWarps + warp;
    if (slice < p.a.slice_count) {
        SellProduct<V, A, kHasHubs>(p, slice).run(stages[warp]);
    } else {
        write_empty_rows(p, (slice - p.a.slice_count) * kEmptyWords);
    }
}

/// Puts columns and values of CSR where a `SellPlan` has them.
template <class V>
struct SellFill {
    const SellSlice* slices = nullptr;
    std::int64_t slice_count = 0;
    std::int64_t pieces = 0;
    const std::uint32_t* rows = nullptr;
    const std::uint32_t* split_of = nullptr;
    const SplitRow* splits = nullptr;
    const offset_t* row_ptrs = nullptr;
    const V* csr_values = nullptr;
    V* values = nullptr;
    // What new values leave as it is:
    const index_t* csr_cols = nullptr;
    const std::uint32_t* code_of = nullptr;  ///< of a column; null if there are no hubs
    std::uint32_t* codes = nullptr;

    /// The nonzeros of the `r`-th row of a slice.
    __device__ NonzeroRange row_of(std::int64_t number, const SellSlice& slice, unsigned r) const {
        if (r >= slice.rows) return {};
        const std::uint32_t row = rows[slice.first_row + r];
        const NonzeroRange all{row_ptrs[row], row_ptrs[row + 1] - row_ptrs[row]};
        if (number >= pieces) return all;
        const SplitRow split = splits[split_of[number]];
        return piece_of(all, number - split.first_partial, split.partials);
    }
};

/// A warp for each slice. Without codes, values only, of nonzeros only.
template <class V, bool kWithCodes>
__global__ void __launch_bounds__(kSellThreads) fill_sell(const __grid_constant__ SellFill<V> p) {
    const std::int64_t number = std::int64_t{blockIdx.x} * kSellWarps + static_cast<int>(threadIdx.x) / kWarpSize;
    if (number >= p.slice_count) return;
    const SellSlice slice = load_wide(p.slices + number);
    const auto lane = threadIdx.x % kWarpSize;
    const NonzeroRange row = p.row_of(number, slice, lane / slice.lanes);
    for (unsigned step = 0; step < slice.steps; ++step) {
        const std::uint64_t place = (slice.first_step + step) * kSliceLanes + lane;
        const offset_t i = step * slice.lanes + lane % slice.lanes;
        const bool is_nonzero = i < row.count;
        if (is_nonzero || kWithCodes) p.values[place] = is_nonzero ? p.csr_values[row.first + i] : V{};
        if constexpr (kWithCodes) {
            std::uint32_t code = kNoCode;
            if (is_nonzero) code = static_cast<std::uint32_t>(p.csr_cols[row.first + i]);
            if (is_nonzero && p.code_of != nullptr) code = p.code_of[code];
            p.codes[place] = code;
        }
    }
}

}  // namespace tilespmv::cuda
