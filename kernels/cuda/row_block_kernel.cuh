#pragma once

#include <algorithm>
#include <cstdint>

#include "kernels/cuda/launch.cuh"
#include "kernels/cuda/team.cuh"
#include "kernels/cuda/tuning.hpp"
#include "selector/work_sizes.hpp"

namespace tilespmv::cuda {

/// A `RowBlockShape` that the compiler knows, of teams of kThreadCount threads.
template <int kThreadCount, int kTeamCount, int kEachCount>
struct RowBlockKernel {
    using Team = cuda::Team<kThreadCount, kTeamCount>;
    static constexpr int kThreads = kThreadCount;  ///< of a team
    static constexpr int kTeams = kTeamCount;
    static constexpr int kEach = kEachCount;
    static constexpr int kOfPiece = std::max(kEach, kRowBlockNonzeros / 2);  ///< as kEach, of a piece of a row
    static constexpr int kRoom = kEach * kThreads;  ///< nonzeros of a row block of several rows
    static constexpr int kBlockThreads = kTeams * kThreads;
    static constexpr int kBlocks = kRowBlockWarps * kWarpSize / kBlockThreads;  ///< of a multiprocessor

    [[nodiscard]] static __device__ std::int64_t row_block() {
        return std::int64_t{blockIdx.x} * kTeams + Team::rank();
    }
};

/// Calls f.operator()<RowBlockKernel>() for `shape`, that of `row_block_shape` for kThreads threads.
template <int kThreads, class F>
void with_row_block_kernel(const RowBlockShape& shape, F&& f) {
    if constexpr (kThreads <= kMostPairedThreads) {
        if (shape.teams == 2) {
            return with_constant<2, 4, 8>(
                shape.each, [&]<int kEach>() { f.template operator()<RowBlockKernel<kThreads, 2, kEach>>(); });
        }
    }
    f.template operator()<RowBlockKernel<kThreads, 1, kRowBlockNonzeros>>();
}

}  // namespace tilespmv::cuda
