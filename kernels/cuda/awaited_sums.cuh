#pragma once

#include <cuda/atomic>

#include "kernels/cuda/device_operator.hpp"
#include "kernels/cuda/load.cuh"
#include "kernels/cuda/warp.cuh"

namespace tilespmv::cuda {

/// No sum has these bits: they are a NaN, and such a NaN is replaced by another.
template <class A>
inline constexpr auto kNoSum = static_cast<BitsOf<A>>(-1);

/// Places for `AwaitedSums` in a workspace.
template <class A>
WorkspacePart<BitsOf<A>> add_awaited_sums(WorkspaceLayout& layout, std::int64_t blocks) {
    return layout.add<BitsOf<A>>(static_cast<std::size_t>(blocks), 0xff);  // kNoSum
}

/// Sums of split rows that blocks leave for a later one, which waits for them: a place a block (in hyb a row), which
/// holds kNoSum before and after a product. Blocks start in the order of their numbers (CUB's scans rely on that, too),
/// so if all leave theirs before they wait for others, they wait for running blocks only. The sums are their own flags,
/// so there is no fence.
template <class A>
class AwaitedSums {
public:
    explicit __device__ AwaitedSums(BitsOf<A>* places) : places_(places) {}

    __device__ void leave(std::int64_t block, A sum) const {
        const auto bits = ::cuda::std::bit_cast<BitsOf<A>>(sum);
        place(block).store(bits == kNoSum<A> ? bits >> 1 : bits, ::cuda::memory_order_relaxed);
    }

    /// Waits for what `block` leaves.
    [[nodiscard]] __device__ A take(std::int64_t block) const {
        const auto at = place(block);
        BitsOf<A> bits = kNoSum<A>;
        while (bits == kNoSum<A>) bits = at.load(::cuda::memory_order_relaxed);
        at.store(kNoSum<A>, ::cuda::memory_order_relaxed);
        return ::cuda::std::bit_cast<A>(bits);
    }

private:
    [[nodiscard]] __device__ auto place(std::int64_t block) const {
        return ::cuda::atomic_ref<BitsOf<A>, ::cuda::thread_scope_device>(places_[block]);
    }

    BitsOf<A>* places_;
};

/// For a whole warp: the sum of what blocks [first, end) leave, the same bits in each lane.
template <class A>
__device__ A take_sums(const AwaitedSums<A>& sums, std::int64_t first, std::int64_t end) {
    A sum = 0;
    for (std::int64_t b = first + static_cast<int>(threadIdx.x) % kWarpSize; b < end; b += kWarpSize) {
        sum += sums.take(b);
    }
    __syncwarp();  // see sum_of_lanes
    return sum_of_warp(sum);
}

}  // namespace tilespmv::cuda
