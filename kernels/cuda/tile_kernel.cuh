#pragma once

#include <type_traits>

#include <cuda/atomic>

#include "kernels/cuda/dense_kernel.cuh"
#include "kernels/cuda/load.cuh"
#include "kernels/cuda/schedule.hpp"
#include "kernels/cuda/warp_formats.cuh"

namespace tilespmv::cuda {

/// Everything one product reads and writes, all of it in device memory.
template <class V, class A>
struct TileSpmv : ProductTerms<V, A> {
    DeviceDense<V, A> dense;
    const WorkItem* items = nullptr;
    std::int64_t item_count = 0;
    const TileChunk* chunks = nullptr;
    const TileEntry* tiles = nullptr;
    std::int64_t tile_count = 0;
    const V* values = nullptr;
    const std::uint8_t* indices = nullptr;
    const std::uint32_t* deferred_ends = nullptr;
    const index_t* deferred_cols = nullptr;
    const V* deferred_values = nullptr;
    const SplitRow* splits = nullptr;
    A* partials = nullptr;         ///< 16 a slot
    unsigned* arrivals = nullptr;  ///< one a split row, 0 before and after every product
    bool walks = false;            ///< every tile is walked by its format's contract
};

inline constexpr int kBlockThreads = 64;
inline constexpr int kWarpsPerBlock = kBlockThreads / kWarpSize;
inline constexpr int kBlocksPerMultiprocessor = 32 / kWarpsPerBlock;
inline constexpr int kDenseBlocksPerMultiprocessor = 64 / kWarpsPerBlock;
inline constexpr int kSmallValues = 128;   // up to so many, half a warp is enough for a tile
inline constexpr int kDeferredStep = 128;  // deferred nonzeros a warp multiplies before it adds rows up

/// Shared memory of one warp. Products of deferred nonzeros take the place of values.
template <class V, class A>
struct Stage {
    static constexpr int kSlack = 16;  // copies start at 16-byte boundaries
    static constexpr int kValueBytes = ScheduleLimits::kChunkValues * sizeof(V) > kDeferredStep * sizeof(A)
                                           ? static_cast<int>(ScheduleLimits::kChunkValues * sizeof(V))
                                           : static_cast<int>(kDeferredStep * sizeof(A));

    alignas(16) char values[kValueBytes + kSlack];
    alignas(16) char index[ScheduleLimits::kChunkBytes + kSlack];
    V x[ScheduleLimits::kChunkWideTiles][kTileSize];  // the part of x that each tile meets
    A products[kWarpSize];
    std::uint8_t list[kWarpSize];
};

/// The values and index bytes of a chunk in shared memory.
template <class V>
struct Staged {
    const V* values;
    const std::uint8_t* index;
};

/// The work of one warp on one item.
template <class V, class A>
class ItemProduct {
public:
    __device__ ItemProduct(const TileSpmv<V, A>& p, Stage<V, A>& stage, const WorkItem& item)
        : p_(p), stage_(stage), item_(item) {
        const index_t left = p.rows - row0();
        rows_ = left < kTileSize ? left : kTileSize;
    }

    __device__ A run() {
        A sum = 0;
        TileChunk chunk = item_.chunk;
        const int chunks = chunk.chunks;
        TileEntry mine = entry_at(0);
        Place at;
#pragma unroll 1
        for (int c = 0; c < chunks; ++c) {
            const bool holds = lane_.id < chunk.tiles;
            const unsigned wide = __ballot_sync(kAllLanes, holds && mine.format() != formats::id_of<formats::Coo>);
            const Staged<V> staged = stage(chunk, at, mine, wide);
            // What the next chunk needs first is on its way while this one is computed.
            const Place next_at{at.value + chunk.values, at.byte + chunk.bytes, at.tile + chunk.tiles};
            const TileEntry next = entry_at(next_at.tile);
            if (c + 1 < chunks) chunk = p_.chunks[item_.next_chunk + c];
            wait_for_copies();
            sum = add_tiles(staged, mine, holds, wide, sum);
            mine = next;
            at = next_at;
        }
        if (item_.deferred_count > 0) sum = add_deferred(sum);
        return sum + __shfl_xor_sync(kAllLanes, sum, kTileSize);
    }

    /// Writes the rows of y from the sums that the first 16 lanes hold.
    __device__ void write(A sum) const {
        if (lane_.id >= rows_) return;
        p_.write(row0() + lane_.id, sum);
    }

    /// Leaves the sums in the item's slot; the last warp of the split row adds all of them, in the order of the slots.
    __device__ void write_partial(A sum) const {
        if (lane_.id < kTileSize) p_.partials[std::int64_t{item_.slot} * kTileSize + lane_.id] = sum;
        __syncwarp();
        const SplitRow split = p_.splits[item_.split];
        unsigned arrived = 0;
        if (lane_.id == 0) {
            const ::cuda::atomic_ref<unsigned, ::cuda::thread_scope_device> arrivals(p_.arrivals[item_.split]);
            arrived = arrivals.fetch_add(1, ::cuda::memory_order_release) + 1;
        }
        if (__shfl_sync(kAllLanes, arrived, 0) != split.slots) return;
        ::cuda::atomic_thread_fence(::cuda::memory_order_acquire, ::cuda::thread_scope_device);
        A total = 0;
        for (std::uint32_t s = static_cast<std::uint32_t>(lane_.half); s < split.slots; s += 2) {
            total += __ldcg(p_.partials + std::int64_t{split.first_slot + s} * kTileSize + lane_.row);
        }
        write(total + __shfl_xor_sync(kAllLanes, total, kTileSize));
        if (lane_.id == 0) p_.arrivals[item_.split] = 0;
    }

private:
    [[nodiscard]] __device__ std::int64_t row0() const { return std::int64_t{item_.tile_row} * kTileSize; }

    /// Where a chunk begins, relative to its item.
    struct Place {
        int value = 0;
        int byte = 0;
        int tile = 0;
    };

    /// Of the 32 tiles from position `tile` of the item on, this lane's.
    [[nodiscard]] __device__ TileEntry entry_at(int tile) const {
        const std::int64_t at = item_.first_tile + tile + lane_.id;
        return at < p_.tile_count ? p_.tiles[at] : TileEntry();
    }

    // Everything a chunk needs is under way before the first of it is waited for.
    __device__ Staged<V> stage(const TileChunk& chunk, Place at, TileEntry mine, unsigned wide) {
        __syncwarp();  // nobody reads the stage any more
        const char* values = copy_async(stage_.values, p_.values + item_.first_value + at.value,
                                        chunk.values * static_cast<int>(sizeof(V)), lane_);
        const char* index = copy_async(stage_.index, p_.indices + item_.first_byte + at.byte, chunk.bytes, lane_);
        stage_x(mine, wide);
        return {reinterpret_cast<const V*>(values), reinterpret_cast<const std::uint8_t*>(index)};
    }

    /// Loads x for every tile but those in COO, whose few entries look it up themselves; finds out whether all of it is
    /// finite.
    __device__ void stage_x(TileEntry mine, unsigned wide) {
        const int count = __popc(wide);
        list_lanes(wide, stage_.list, lane_);
        bool finite = true;
#pragma unroll 2
        for (int first = 0; first < count; first += 2) {
            const int slot = first + lane_.half;
            const index_t column = __shfl_sync(kAllLanes, mine.column(), stage_.list[min(slot, count - 1)]);
            const std::int64_t col = std::int64_t{column} * kTileSize + lane_.row;
            if (slot >= count || col >= p_.cols) continue;
            const V x = load_often(p_.x + col);
            stage_.x[slot][lane_.row] = x;
            finite = finite && static_cast<A>(x) - static_cast<A>(x) == A(0);
        }
        finite_ = __all_sync(kAllLanes, finite);
    }

    __device__ A add_tiles(const Staged<V>& staged, TileEntry mine, bool holds, unsigned wide, A sum) {
        const unsigned sizes =
            holds ? static_cast<unsigned>(mine.values()) | static_cast<unsigned>(mine.index_bytes()) << 16 : 0u;
        const unsigned offsets = exclusive_scan(sizes, lane_);
        sum = add_wide_tiles(staged, mine, offsets, wide, sum);
        const int coo = holds ? batched_nnz(mine) : 0;
        if (!__any_sync(kAllLanes, coo > 0)) return sum;
        __syncwarp();  // the list of wide tiles is not needed any more
        const unsigned end = offsets + sizes;
        return add_coo_tiles(staged.values, staged.index, coo, static_cast<int>(end & 0xffffu) - coo,
                             static_cast<int>(end >> 16) - coo, mine.column(), p_.x, stage_.products, stage_.list,
                             lane_, sum);
    }

    /// Two small tiles at once, each by half of the warp, or one by all of it.
    __device__ A add_wide_tiles(const Staged<V>& staged, TileEntry mine, unsigned offsets, unsigned wide, A sum) {
        const unsigned small = __ballot_sync(kAllLanes, mine.values() <= kSmallValues);
        const int count = __popc(wide);
#pragma unroll 1
        for (int slot = 0; slot < count;) {
            const int second = min(slot + 1, count - 1);
            const bool pair = second > slot && (small >> stage_.list[slot] & small >> stage_.list[second] & 1u) != 0;
            const int own = pair ? slot + lane_.half : slot;
            const int t = stage_.list[own];
            const unsigned offset = __shfl_sync(kAllLanes, offsets, t);
            const TileEntry entry = shuffle(mine, t);
            const Team team{lane_.row, pair ? 0 : lane_.half, pair ? 1 : 2};
            sum = add_tile(staged.values + (offset & 0xffffu), staged.index + (offset >> 16), entry, stage_.x[own],
                           team, sum);
            slot += pair ? 2 : 1;
        }
        return sum;
    }

    /// Whether a tile has a routine of its own here: it is of 16 x 16, and its padding may meet x.
    [[nodiscard]] __device__ bool is_plain(TileEntry entry) const {
        const bool inside = (entry.column() + 1) * std::int64_t{kTileSize} <= p_.cols;
        return rows_ == kTileSize && inside && finite_ && !p_.walks;
    }

    /// Entries of a tile that are batched with those of others: all of COO, the last of HYB.
    [[nodiscard]] __device__ int batched_nnz(TileEntry entry) const {
        if (entry.format() == formats::id_of<formats::Coo>) return entry.nnz();
        if (entry.format() != formats::id_of<formats::Hyb> || !is_plain(entry)) return 0;
        return formats::Hyb::coo_nnz(kTileSize, entry);
    }

    __device__ A add_tile(const V* values, const std::uint8_t* index, TileEntry entry, const V* x, Team team, A sum) {
        const bool plain = is_plain(entry);
        formats::visit_format(entry.format(), [&]<class F>() {
            if (plain) {
                sum = WarpRoutine<F>::add(FullTile<V>{entry, values, index}, x, team, sum);
            } else {
                const std::int64_t left = p_.cols - std::int64_t{entry.column()} * kTileSize;
                const int cols = static_cast<int>(min(left, std::int64_t{kTileSize}));
                sum = walk_rows<F>(TileView<V>{rows_, cols, entry, values, index}, x, team, sum);
            }
        });
        return sum;
    }

    // Products of consecutive nonzeros, coalesced, into shared memory; then every row adds up its own. Positions are
    // relative to the item's first deferred nonzero.
    __device__ A add_deferred(A sum) {
        const int count = static_cast<int>(item_.deferred_count);
        int begin = 0;
        int end = 0;
        if (lane_.row < rows_) {
            const std::uint32_t* ends = p_.deferred_ends + row0() + lane_.row;
            begin = clamp(lane_.row > 0 ? ends[-1] : 0u, count);
            end = clamp(ends[0], count);
        }
        const std::int64_t first = item_.deferred_base + item_.deferred_first;
#pragma unroll 1
        for (int at = 0; at < count; at += kDeferredStep) {
            const int step = min(kDeferredStep, count - at);
            A own[kDeferredStep / kWarpSize];
            multiply_deferred(first + at, step, own);
            const int from = max(begin - at, 0);
            const int to = min(end - at, step);
            const bool alone = from == 0 && to == step;
            sum = __any_sync(kAllLanes, alone) ? add_to_one_row(own, alone, sum) : add_to_rows(own, from, to, sum);
        }
        return sum;
    }

    /// A position in the tile row's deferred nonzeros as one in the item's, cut off at its ends.
    [[nodiscard]] __device__ int clamp(std::uint32_t position, int count) const {
        const std::uint32_t first = item_.deferred_first;
        if (position <= first) return 0;
        return static_cast<int>(min(position - first, static_cast<std::uint32_t>(count)));
    }

    /// Adds products [from, to) of the warp to each row; rows with many of them are summed by all lanes.
    __device__ A add_to_rows(const A* own, int from, int to, A sum) {
        constexpr int many = 24;
        A* products = reinterpret_cast<A*>(stage_.values);
        __syncwarp();
#pragma unroll
        for (int i = 0; i < kDeferredStep / kWarpSize; ++i) products[i * kWarpSize + lane_.id] = own[i];
        __syncwarp();
        const bool is_long = to - from > many;
        for (unsigned rows = __ballot_sync(kAllLanes, is_long && lane_.half == 0); rows != 0; rows &= rows - 1) {
            const int row = __ffs(static_cast<int>(rows)) - 1;
            const int row_to = __shfl_sync(kAllLanes, to, row);
            A total = 0;
            for (int k = __shfl_sync(kAllLanes, from, row) + lane_.id; k < row_to; k += kWarpSize) total += products[k];
            total = sum_of_warp(total);
            if (lane_.id == row) sum += total;
        }
        if (!is_long) {
            for (int k = from + lane_.half; k < to; k += 2) sum += products[k];
        }
        return sum;
    }

    __device__ void multiply_deferred(std::int64_t first, int count, A* own) const {
        constexpr int per_lane = kDeferredStep / kWarpSize;
        const V* values = p_.deferred_values + first;
        const index_t* cols = p_.deferred_cols + first;
        V v[per_lane];
        index_t col[per_lane];
#pragma unroll
        for (int i = 0; i < per_lane; ++i) {
            const int k = i * kWarpSize + lane_.id;
            v[i] = k < count ? load_often(values + k) : V(0);
            col[i] = k < count ? load_often(cols + k) : -1;
        }
#pragma unroll
        for (int i = 0; i < per_lane; ++i) {
            own[i] = col[i] >= 0 ? static_cast<A>(v[i]) * static_cast<A>(load_often(p_.x + col[i])) : A(0);
        }
    }

    /// All products belong to one row: adds them over the warp, in a fixed order, for the first lane of that row.
    __device__ A add_to_one_row(const A* own, bool mine, A sum) const {
        A total = 0;
#pragma unroll
        for (int i = 0; i < kDeferredStep / kWarpSize; ++i) total += own[i];
        total = sum_of_warp(total);
        return mine && lane_.half == 0 ? sum + total : sum;
    }

    const TileSpmv<V, A>& p_;
    Stage<V, A>& stage_;
    const WorkItem& item_;  // read again where needed, registers being dearer than the cache
    Lane lane_;
    int rows_;
    bool finite_ = true;  // x, where the tiles of the chunk meet it
};

template <class V, class A>
__device__ void multiply_tiles(const TileSpmv<V, A>& p, Stage<V, A>& stage, std::int64_t item_at) {
    if (item_at >= p.item_count) return;
    const WorkItem& item = p.items[item_at];
    ItemProduct<V, A> product(p, stage, item);
    const A sum = product.run();
    if (item.slot < 0) {
        product.write(sum);
    } else {
        product.write_partial(sum);
    }
}

/// Shared memory of a block: all of it works on one thing, or each warp on tiles of its own.
template <class V, class A>
union TileStage {
    Stage<V, A> warps[kWarpsPerBlock];
    DenseStage<A, kBlockThreads> dense;
};

/// Blocks of the tiled part.
template <class V, class A>
std::int64_t tiled_blocks(const TileSpmv<V, A>& p) {
    return p.dense.run_count + div_up(p.item_count, kWarpsPerBlock);
}

/// The work of the block `at`: a dense run, or for each of its warps an item of tiles.
template <class V, class A>
__device__ void multiply_tiled(const TileSpmv<V, A>& p, TileStage<V, A>& stage, std::int64_t at) {
    if (at < p.dense.run_count) {
        return DenseProduct<V, A, kBlockThreads>(p.dense, p, stage.dense, p.dense.runs[at]).run();
    }
    at -= p.dense.run_count;
    const int warp = static_cast<int>(threadIdx.x) / kWarpSize;
    multiply_tiles(p, stage.warps[warp], at * kWarpsPerBlock + warp);
}

/// y = alpha * A * x + beta * y.
template <class V, class A>
__global__ void __launch_bounds__(kBlockThreads, kBlocksPerMultiprocessor)
    tile_spmv(const __grid_constant__ TileSpmv<V, A> p) {
    __shared__ TileStage<V, A> stage;
    multiply_tiled(p, stage, std::int64_t{blockIdx.x});
}

/// The same where all of it is dense, for which more blocks fit a multiprocessor.
template <class V, class A>
__global__ void __launch_bounds__(kBlockThreads, kDenseBlocksPerMultiprocessor)
    dense_spmv(const __grid_constant__ TileSpmv<V, A> p) {
    __shared__ DenseStage<A, kBlockThreads> stage;
    DenseProduct<V, A, kBlockThreads>(p.dense, p, stage, p.dense.runs[blockIdx.x]).run();
}

}  // namespace tilespmv::cuda
