#pragma once

#include "kernels/cuda/split.cuh"
#include "kernels/cuda/split_row.hpp"
#include "kernels/cuda/warp.cuh"

/// Sums over a team of threads, and over the teams that share a row.
namespace tilespmv::cuda {

/// Shared memory for it.
template <class A, class Team>
struct TeamSumStage {
    A sums[Team::kThreads / kWarpSize];
    bool is_last;
};

/// The sum over a team, the same bits in each thread. All its threads call.
template <class A, class Team>
__device__ A sum_of_team(A sum, TeamSumStage<A, Team>& stage) {
    __syncwarp();  // see sum_of_lanes
    sum = sum_of_warp(sum);
    const int thread = Team::thread();
    if (thread % kWarpSize == 0) stage.sums[thread / kWarpSize] = sum;
    Team::sync();
    A total = 0;
    for (const A part : stage.sums) total += part;
    Team::sync();
    return total;
}

/// Rows of whose pieces several teams have one each; see `SplitRow`.
template <class A>
struct DeviceSplits {
    const SplitRow* splits = nullptr;
    A* partials = nullptr;         ///< one a piece
    unsigned* arrivals = nullptr;  ///< one a split row, 0 before and after every product
};

/// Leaves the sum of a piece, which every thread has, as its partial sum. Whether this team is the last of the row's to
/// do so; then `sum` becomes that of all pieces, added in their order.
template <class A, class Team>
__device__ bool sum_of_pieces(const DeviceSplits<A>& of, std::int32_t split_at, std::int32_t partial, A& sum,
                              TeamSumStage<A, Team>& stage) {
    const SplitRow split = of.splits[split_at];
    const int thread = Team::thread();
    if (thread == 0) of.partials[partial] = sum;
    if (!are_last<Team>(of.arrivals[split_at], split.partials, stage.is_last)) return false;
    A part = 0;
    for (auto s = static_cast<std::uint32_t>(thread); s < split.partials; s += Team::kThreads) {
        part += __ldcg(of.partials + split.first_partial + s);
    }
    sum = sum_of_team(part, stage);
    return true;
}

}  // namespace tilespmv::cuda
