#pragma once

#include "kernels/cuda/load.cuh"
#include "kernels/operators/tile/dense_kernel.cuh"
#include "kernels/operators/tile/entry_sums.cuh"
#include "kernels/operators/tile/piece_sums.cuh"
#include "kernels/operators/tile/slots.hpp"

namespace tilespmv::cuda {

/// Everything one product reads and writes, all of it in device memory.
template <class V, class A>
struct TileSpmv : ProductTerms<V, A> {
    DeviceDense<V, A> dense;
    const TileItem* items = nullptr;
    std::int64_t half_items = 0;  ///< the first of them are for halves of a warp
    std::int64_t item_count = 0;
    const Slot* slots = nullptr;
    const V* values = nullptr;
    const index_t* entry_columns = nullptr;
    const V* entry_values = nullptr;
    const EntryEnds* entry_ends = nullptr;
    DevicePieces<A> pieces;
};

inline constexpr int kBlockThreads = kTileThreads;
inline constexpr int kWarpsPerBlock = kBlockThreads / kWarpSize;
inline constexpr int kBlocksPerMultiprocessor = kTileWarps / kWarpsPerBlock;
inline constexpr int kDenseBlocksPerMultiprocessor = kDenseWarps / kWarpsPerBlock;

/// Shared memory of a warp.
template <class A>
struct WarpStage {
    Slot slots[kWarpSize];
    A products[kEntryStep];
};

/// The work of a warp on one item, its halves taking turns (kParts = 2), or of each of its halves on one (kParts = 1).
template <class V, class A, int kParts>
class ItemProduct {
public:
    /// Without an item a half takes part and leaves nothing.
    __device__ ItemProduct(const TileSpmv<V, A>& p, WarpStage<A>& stage, std::int64_t item_at, bool has_item)
        : p_(p), stage_(stage), item_at_(item_at), has_item_(has_item), entries_(stage.products, lane_) {
        if (has_item) item_ = load_wide(p.items + item_at);
    }

    __device__ void run() {
        const int slots = most(item_.slots);
        Slot next = slot_of_lane(0);
        __syncwarp();  // see sum_of_lanes
        const bool has_entries = __any_sync(kAllLanes, item_.entries > 0);
        if (has_entries) entries_.begin(lane_entries());
        wait_for_stream();
        A sum = 0;
#pragma unroll 1
        for (int at = 0; at < slots; at += kLanes) {
            __syncwarp();
            stage_.slots[lane_.id] = next;
            __syncwarp();
            next = slot_of_lane(at + kLanes);
            sum = add_slots(min(slots - at, kLanes), sum);
        }
        const int row_slots = most(item_.row_slots);
#pragma unroll 1
        for (int at = 0; at < row_slots; at += kParts) sum = add_row_slot(at + part(), sum);
        if (has_entries) sum = entries_.add(p_.x, sum);
        __syncwarp();  // see sum_of_lanes
        if (kParts == 2) sum += __shfl_xor_sync(kAllLanes, sum, kTileSize);
        write(sum);
    }

private:
    static constexpr int kLanes = kTileSize * kParts;
    using Tuned = KernelTuning<sizeof(V)>;
    static constexpr int kInFlight = kParts == 1 ? Tuned::kHalfSlotFlight : Tuned::kWarpSlotFlight;

    /// Which of the lanes of a row this is.
    [[nodiscard]] __device__ int part() const { return kParts == 1 ? 0 : lane_.half; }

    /// A number of steps in which all lanes take part.
    [[nodiscard]] __device__ int most(int count) const {
        if (kParts == 2) return count;
        __syncwarp();  // see sum_of_lanes
        return max(count, __shfl_xor_sync(kAllLanes, count, kTileSize));
    }

    /// Of kLanes slots from `at` on this lane's, one without lanes behind the last.
    [[nodiscard]] __device__ Slot slot_of_lane(int at) const {
        const int k = at + lane_.id % kLanes;
        return k < item_.slots ? load_wide(p_.slots + item_.first_slot + k) : Slot{};
    }

    /// Position among the item's values of this lane's nonzero in a slot.
    [[nodiscard]] __device__ int value_at(const Slot& slot) const {
        return slot.first_value() + __popc(slot.lanes_and_value & below_);
    }
    [[nodiscard]] __device__ bool holds(const Slot& slot) const { return (slot.lanes_and_value & mine_) != 0; }

    /// Adds the staged slots, up to `count` of them and empty ones behind; kInFlight of them are under way at a time.
    __device__ A add_slots(int count, A sum) const {
        const Slot* slots = stage_.slots + (kParts == 1 ? lane_.half * kLanes : lane_.half);
        const V* from = p_.values + item_.first_value;
        if constexpr (sizeof(V) < 8) from = as_one(from);  // doubles are faster without
#pragma unroll 1
        for (int at = 0; at < count; at += kInFlight * kParts) {
            V values[kInFlight];
            V x[kInFlight];
            bool held[kInFlight];
#pragma unroll
            for (int i = 0; i < kInFlight; ++i) {
                const Slot slot = slots[at + i * kParts];
                const std::uint32_t codes = lane_.row < 8 ? slot.codes[0] : slot.codes[1];
                held[i] = holds(slot);
                values[i] = held[i] ? load_once(from + value_at(slot), p_.cache_policy) : V(0);
                x[i] = held[i] ? load_x(p_.x + (slot.column + (codes >> shift_ & 15u))) : V(0);
            }
#pragma unroll
            for (int i = 0; i < kInFlight; ++i) sum += static_cast<A>(values[i]) * static_cast<A>(x[i]);
        }
        return sum;
    }

    /// A row slot: lanes are columns, whose partial products go to the lane of its row.
    __device__ A add_row_slot(int at, A sum) const {
        Slot slot{};
        if (at < item_.row_slots) slot = load_wide(p_.slots + item_.first_slot + item_.slots + at);
        A product = 0;
        if (holds(slot)) {
            product = static_cast<A>(load_once(p_.values + item_.first_value + value_at(slot), p_.cache_policy)) *
                      static_cast<A>(load_x(p_.x + slot.column + lane_.row));
        }
        __syncwarp();  // see sum_of_lanes
        product = sum_of_lanes<kTileSize>(product);
        const bool is_mine = slot.lanes() != 0 && static_cast<int>(slot.codes[0]) == lane_.row;
        return is_mine ? sum + product : sum;
    }

    [[nodiscard]] __device__ LaneEntries<V> lane_entries() const {
        LaneEntries<V> e{p_.entry_columns + item_.first_entry, p_.entry_values + item_.first_entry, item_.entries};
        if (item_.entries == 0) return e;
        const std::uint16_t* ends = reinterpret_cast<const std::uint16_t*>(p_.entry_ends + item_at_);
        e.end = load_often(ends + lane_.row);
        e.begin = lane_.row > 0 ? load_often(ends + lane_.row - 1) : 0;
        return e;
    }

    __device__ void write(A sum) const {
        if (!has_item_) return;
        if ((item_.target & TileItem::kPiece) == 0) return write_rows(item_.target, sum);
        // that of half a warp is never a piece, so both lanes of a row have its sum
        const std::uint32_t at = item_.target - TileItem::kPiece;
        if (sum_of_pieces(p_.pieces, at, lane_, sum)) write_rows(p_.pieces.pieces[at].tile_row, sum);
    }

    __device__ void write_rows(std::uint32_t tile_row, A sum) const {
        const std::int64_t row = std::int64_t{tile_row} * kTileSize + lane_.row;
        if (part() == 0 && row < p_.rows) p_.write(row, sum);
    }

    const TileSpmv<V, A>& p_;
    WarpStage<A>& stage_;
    Lane lane_;
    std::int64_t item_at_;
    bool has_item_;
    TileItem item_;
    const unsigned mine_ = 1u << lane_.row;
    const unsigned below_ = mine_ - 1u;
    const int shift_ = lane_.row % 8 * 4;
    EntrySums<V, A, kParts> entries_;
};

/// Warps of the slots and entries.
template <class V, class A>
__host__ __device__ std::int64_t item_warps(const TileSpmv<V, A>& p) {
    return div_up(p.half_items, std::int64_t{2}) + p.item_count - p.half_items;
}

template <class V, class A>
__device__ void multiply_items(const TileSpmv<V, A>& p, WarpStage<A>& stage, std::int64_t warp) {
    const std::int64_t pairs = div_up(p.half_items, std::int64_t{2});
    if (warp < pairs) {
        const std::int64_t at = warp * 2 + Lane().half;
        ItemProduct<V, A, 1>(p, stage, at, at < p.half_items).run();
    } else if (const std::int64_t at = p.half_items + warp - pairs; at < p.item_count) {
        ItemProduct<V, A, 2>(p, stage, at, true).run();
    }
}

/// Shared memory of a block: all of it works on one dense run, or each warp on an item of its own.
template <class A>
union TileStage {
    WarpStage<A> warps[kWarpsPerBlock];
    DenseStage<A, kBlockThreads> dense;
};

/// Blocks of the tiled part.
template <class V, class A>
std::int64_t tiled_blocks(const TileSpmv<V, A>& p) {
    return p.dense.run_count + div_up(item_warps(p), std::int64_t{kWarpsPerBlock});
}

/// y = alpha * A * x + beta * y: a block has a dense run, or items for each of its warps.
template <class V, class A>
__global__ void __launch_bounds__(kBlockThreads, resident(kBlocksPerMultiprocessor, kBlockThreads))
    tile_spmv(const __grid_constant__ TileSpmv<V, A> p) {
    __shared__ TileStage<A> stage;
    const std::int64_t at = blockIdx.x;
    if (at < p.dense.run_count) {
        return DenseProduct<V, A, kBlockThreads>(p.dense, p, stage.dense, p.dense.runs[at]).run();
    }
    const int warp = static_cast<int>(threadIdx.x) / kWarpSize;
    multiply_items(p, stage.warps[warp], (at - p.dense.run_count) * kWarpsPerBlock + warp);
}

/// The same where all of it is dense, for which more blocks fit a multiprocessor.
template <class V, class A>
__global__ void __launch_bounds__(kBlockThreads, resident(kDenseBlocksPerMultiprocessor, kBlockThreads))
    dense_spmv(const __grid_constant__ TileSpmv<V, A> p) {
    __shared__ DenseStage<A, kBlockThreads> stage;
    DenseProduct<V, A, kBlockThreads>(p.dense, p, stage, p.dense.runs[blockIdx.x]).run();
}

}  // namespace tilespmv::cuda
