#pragma once

#include "kernels/cuda/dependent_launch.cuh"
#include "kernels/cuda/load.cuh"
#include "kernels/cuda/warp.cuh"
#include "kernels/operators/tile/slots.hpp"

namespace tilespmv::cuda {

/// The entries of one item, as a lane sees them.
template <class V>
struct LaneEntries {
    const index_t* columns = nullptr;
    const V* values = nullptr;
    int count = 0;
    int begin = 0;  ///< of those of the lane's row ...
    int end = 0;    ///< ... and their end
};

/// Sums of entries by rows: partial products of consecutive entries go into shared memory, from where every row adds up
/// its own. For a warp (kParts = 2), or for each of its halves (kParts = 1). All lanes of the warp call.
template <class V, class A, int kParts>
class EntrySums {
public:
    /// `products`: kEntryStep partial ones in shared memory, for the warp.
    __device__ EntrySums(A* products, Lane lane)
        : products_(kParts == 1 ? products + lane.half * kStep : products), lane_(lane) {}

    /// Asks for the first step, so that it is on its way while other work is done.
    __device__ void begin(const LaneEntries<V>& entries) {
        entries_ = entries;
        ask(0);
    }

    /// Adds all to the sums of the lanes' rows; of the two lanes of a row in a warp each adds a part.
    __device__ A add(const V* x, A sum) {
        const int count =
            kParts == 1 ? max(entries_.count, __shfl_xor_sync(kAllLanes, entries_.count, kTileSize)) : entries_.count;
#pragma unroll 1
        for (int at = 0; at < count; at += kStep) {
            if (at > 0) ask(at);
            A own[kPerLane];
#pragma unroll
            for (int i = 0; i < kPerLane; ++i) {
                own[i] = columns_[i] < 0 ? A(0) : static_cast<A>(values_[i]) * static_cast<A>(load_x(x + columns_[i]));
            }
            const int from = max(entries_.begin - at, 0);
            const int to = min(entries_.end - at, kStep);
            sum = add_step(own, from, to, min(count - at, kStep), sum);
        }
        return sum;
    }

private:
    static constexpr int kLanes = kTileSize * kParts;
    static constexpr int kPerLane = kParts == 1 ? 1 : kEntryStep / kWarpSize;  // halves have few
    static constexpr int kStep = kLanes * kPerLane;

    __device__ void ask(int at) {
        const int lane = kParts == 1 ? lane_.row : lane_.id;
#pragma unroll
        for (int i = 0; i < kPerLane; ++i) {
            const int k = at + i * kLanes + lane;
            const bool inside = k < entries_.count;
            values_[i] = inside ? load_often(entries_.values + k) : V(0);
            columns_[i] = inside ? load_often(entries_.columns + k) : -1;
        }
    }

    /// Adds the partial products of a step; those of the lane's row are [from, to) of `count`.
    __device__ A add_step(const A* own, int from, int to, int count, A sum) {
        if constexpr (kParts == 2) {
            const bool alone = from == 0 && to == count;
            if (__any_sync(kAllLanes, alone)) return add_to_one_row(own, alone, sum);
        }
        __syncwarp();  // nobody reads the partial products of the step before any more
        const int lane = kParts == 1 ? lane_.row : lane_.id;
#pragma unroll
        for (int i = 0; i < kPerLane; ++i) products_[i * kLanes + lane] = own[i];
        __syncwarp();
        const bool is_long = kParts == 2 && to - from > kLongEntryRow;
        if constexpr (kParts == 2) sum = add_long_rows(from, to, is_long, sum);
        if (is_long) return sum;
        for (int k = kParts == 1 ? from : from + lane_.half; k < to; k += kParts) sum += products_[k];
        return sum;
    }

    /// All partial products belong to one row; its first lane gets them.
    __device__ A add_to_one_row(const A* own, bool is_mine, A sum) const {
        A total = 0;
#pragma unroll
        for (int i = 0; i < kPerLane; ++i) total += own[i];
        total = sum_of_warp(total);
        return is_mine && lane_.half == 0 ? sum + total : sum;
    }

    __device__ A add_long_rows(int from, int to, bool is_long, A sum) const {
        for (unsigned rows = __ballot_sync(kAllLanes, is_long && lane_.half == 0); rows != 0; rows &= rows - 1) {
            const int row = __ffs(static_cast<int>(rows)) - 1;
            const int row_to = __shfl_sync(kAllLanes, to, row);
            A total = 0;
            for (int k = __shfl_sync(kAllLanes, from, row) + lane_.id; k < row_to; k += kWarpSize) {
                total += products_[k];
            }
            total = sum_of_warp(total);
            if (lane_.id == row) sum += total;
        }
        return sum;
    }

    A* products_;
    Lane lane_;
    LaneEntries<V> entries_;
    V values_[kPerLane];
    index_t columns_[kPerLane];
};

}  // namespace tilespmv::cuda
