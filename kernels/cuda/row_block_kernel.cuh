#pragma once

#include <cstdint>

#include "kernels/cuda/team.cuh"
#include "kernels/cuda/tuning.hpp"
#include "kernels/cuda/with_constant.hpp"
#include "selector/work_sizes.hpp"

namespace tilespmv::cuda {

/// A `RowBlockShape` that the compiler knows, of teams of kThreadCount threads.
template <int kThreadCount, int kTeamCount, int kEachCount>
struct RowBlockKernel {
    using Team = cuda::Team<kThreadCount, kTeamCount>;
    static constexpr int kThreads = kThreadCount;  ///< of a team
    static constexpr int kTeams = kTeamCount;
    static constexpr int kEach = kEachCount;
    static constexpr int kRoom = kEach * kThreads;  ///< nonzeros of a row block of several rows
    static constexpr int kBlockThreads = kTeams * kThreads;
    static constexpr int kBlocks = kRowBlockWarps * kWarpSize / kBlockThreads;  ///< of a multiprocessor

    [[nodiscard]] static __device__ std::int64_t row_block() {
        return std::int64_t{blockIdx.x} * kTeams + Team::rank();
    }
};

/// Calls f.operator()<RowBlockKernel>() for `shape`; teams of more than 64 threads do not share a block.
template <int kThreads, class F>
void with_row_block_kernel(const RowBlockShape& shape, F&& f) {
    if constexpr (kThreads > 64) {
        f.template operator()<RowBlockKernel<kThreads, 1, 8>>();
    } else if (shape.teams == 1) {
        f.template operator()<RowBlockKernel<kThreads, 1, 8>>();
    } else {
        with_constant<2, 4, 8>(shape.each,
                               [&]<int kEach>() { f.template operator()<RowBlockKernel<kThreads, 2, kEach>>(); });
    }
}

}  // namespace tilespmv::cuda
