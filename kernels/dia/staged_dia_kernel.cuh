#pragma once

#include <algorithm>

#include <cuda/ptx>

#include "kernels/dia/dia_kernel.cuh"

/// DIA for matrices of many rows: resident blocks, which copy values ahead into shared memory by the engine for bulk
/// copies, so that what is on its way takes no registers. Needs compute capability 9.0.
namespace tilespmv::cuda {

/// A group of diagonals of some consecutive rows in shared memory.
template <class V>
struct alignas(128) DiaStage {
    V values[Dia<V>::kGroup][kDiaStageRows];
    std::uint64_t held[kDiaStageRows / 8];
};

template <class V>
struct DiaStages {
    static constexpr int kCount = std::min<int>(kDiaStageBytes / sizeof(DiaStage<V>), 8);
    DiaStage<V> of[kCount];
    std::uint64_t full[kCount];  ///< barriers: what was copied last has arrived
};

/// The groups that a block multiplies one after the other, and where each is staged: all groups of the first rows, then
/// of the next rows of this block.
template <class V, class A>
class StagedDia {
public:
    __device__ StagedDia(const DiaSpmv<V, A>& p, DiaStages<V>& stages)
        : p_(p), stages_(stages), groups_((p.diagonals + kGroup - 1) / kGroup) {}

    __device__ void run() {
#if __CUDA_ARCH__ >= 900
        if (threadIdx.x == 0) {
            for (auto& full : stages_.full) ::cuda::ptx::mbarrier_init(&full, 1);
            ::cuda::ptx::fence_proxy_async(::cuda::ptx::space_shared);
            for (int stage = 0; stage < kStages; ++stage) copy_next(stage);
        }
        __syncthreads();
        wait_for_stream();
        for (std::int64_t first = first_row_; first < p_.rows; first += step_) {
            const auto row = static_cast<index_t>(min(first + threadIdx.x, std::int64_t{p_.rows} - 1));
            A sum = 0;
            for (offset_t group = 0; group < groups_; ++group) sum = add_group(group, row, sum);
            if (first + threadIdx.x < p_.rows) p_.write(row, sum);
        }
#endif
    }

private:
    static constexpr int kGroup = Dia<V>::kGroup;
    static constexpr int kStages = DiaStages<V>::kCount;

#if __CUDA_ARCH__ >= 900
    __device__ A add_group(offset_t group, index_t row, A sum) {
        const int count = p_.diagonals_of(group);
        V factors[kGroup];
        p_.load_factors(factors, row, load_wide(p_.offsets + group), count);
        while (!::cuda::ptx::mbarrier_try_wait_parity(&stages_.full[stage_], phase_)) {
        }
        const DiaStage<V>& staged = stages_.of[stage_];
        const std::uint64_t held = staged.held[threadIdx.x / 8] >> threadIdx.x % 8;
#pragma unroll
        for (int i = 0; i < kGroup; ++i) {
            if (i < count && (held >> 8 * i & 1) != 0) {
                sum += static_cast<A>(staged.values[i][threadIdx.x]) * static_cast<A>(factors[i]);
            }
        }
        __syncthreads();  // all have read it
        if (threadIdx.x == 0) copy_next(stage_);
        if (++stage_ == kStages) {
            stage_ = 0;
            phase_ ^= 1;
        }
        return sum;
    }

    /// By one thread. Copies the next group that is not under way, if there is one.
    __device__ void copy_next(int stage) {
        namespace ptx = ::cuda::ptx;
        if (next_row_ >= p_.rows || groups_ == 0) return;
        const auto places = static_cast<std::uint32_t>(min(p_.stride - next_row_, offset_t{kDiaStageRows}));
        const int count = p_.diagonals_of(next_group_);
        DiaStage<V>& to = stages_.of[stage];
        std::uint64_t* const full = &stages_.full[stage];
        const std::uint32_t bytes = places * sizeof(V);
        ptx::mbarrier_arrive_expect_tx(ptx::sem_release, ptx::scope_cta, ptx::space_shared, full,
                                       static_cast<std::uint32_t>(count) * bytes + places);
        const auto copy = [&](void* into, const void* from, std::uint32_t size) {
            // As ptx::cp_async_bulk, which takes no cache policy.
            asm volatile(
                "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.L2::cache_hint [%0], [%1], %2, "
                "[%3], %4;"
                :
                : "r"(static_cast<std::uint32_t>(__cvta_generic_to_shared(into))), "l"(__cvta_generic_to_global(from)),
                  "r"(size), "r"(static_cast<std::uint32_t>(__cvta_generic_to_shared(full))), "l"(p_.cache_policy)
                : "memory");
        };
        copy(to.held, p_.held + next_group_ * (p_.stride / 8) + next_row_ / 8, places);
        const V* const values = p_.values + next_group_ * kGroup * p_.stride + next_row_;
        for (int i = 0; i < count; ++i) copy(to.values[i], values + i * p_.stride, bytes);
        if (++next_group_ == groups_) {
            next_group_ = 0;
            next_row_ += step_;
        }
    }
#endif

    const DiaSpmv<V, A>& p_;
    DiaStages<V>& stages_;
    offset_t groups_;
    std::int64_t first_row_ = std::int64_t{blockIdx.x} * kDiaStageRows;
    std::int64_t step_ = std::int64_t{gridDim.x} * kDiaStageRows;
    // What is multiplied next, and of one thread, what is copied next.
    int stage_ = 0;
    std::uint32_t phase_ = 0;
    std::int64_t next_row_ = first_row_;
    offset_t next_group_ = 0;
};

template <class V, class A>
__global__ void __launch_bounds__(kDiaStageRows, kDiaStageBlocks)
    staged_dia_spmv(const __grid_constant__ DiaSpmv<V, A> p) {
    extern __shared__ __align__(128) unsigned char dynamic[];
    StagedDia<V, A>(p, *reinterpret_cast<DiaStages<V>*>(dynamic)).run();
}

}  // namespace tilespmv::cuda
