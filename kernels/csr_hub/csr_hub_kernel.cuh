#pragma once

#include <cuda_pipeline.h>

#include "kernels/csr_hub/csr_hub.hpp"
#include "kernels/cuda/awaited_sums.cuh"
#include "kernels/cuda/dependent_launch.cuh"
#include "kernels/cuda/load.cuh"
#include "kernels/cuda/open_rows.cuh"
#include "kernels/cuda/product.cuh"
#include "kernels/cuda/tuning.hpp"
#include "kernels/cuda/warp.cuh"

namespace tilespmv::cuda {

static_assert(kHubLanes == kWarpSize);
static_assert(kHubSlots >= kWarpSize, "the rows that a warp writes at once");
inline constexpr int kHubWarps = kHubThreads / kWarpSize;

/// A `CsrHub` in device memory, and x of its hubs.
template <class V>
struct DeviceCsrHub {
    const index_t* hubs = nullptr;
    unsigned hub_count = 0;
    const std::uint32_t* first_rows = nullptr;
    const HubLane* lanes = nullptr;
    const std::uint16_t* lows = nullptr;
    const std::uint8_t* highs = nullptr;
    const V* values = nullptr;
    const std::uint32_t* filled = nullptr;
    const HubRun* runs = nullptr;
    unsigned run_count = 0;
};

/// Everything one product reads and writes, all of it in device memory.
template <class V, class A>
struct HubSpmv : ProductTerms<V, A> {
    DeviceCsrHub<V> matrix;
    BitsOf<V>* hub_x = nullptr;     ///< `hub_words`
    BitsOf<A>* partials = nullptr;  ///< `AwaitedSums` of runs
};

/// Copies x of the hubs into one place, from where every block of csr_hub_spmv takes it.
template <class V, class A>
__global__ void gather_hubs(const __grid_constant__ HubSpmv<V, A> p) {
    const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= p.matrix.hub_count) return;
    const index_t hub = p.matrix.hubs[i];
    wait_for_stream();
    p.hub_x[i] = *(reinterpret_cast<const BitsOf<V>*>(p.x) + hub);
}

/// Words of 16 bytes that x of `hubs` hubs takes, with 0 behind it for padding.
template <class V>
TILESPMV_HD constexpr int hub_words(unsigned hubs) {
    return static_cast<int>(hubs * sizeof(V) / sizeof(uint4) + 1);
}

/// Shared memory of a block beside x of the hubs.
template <class A>
struct HubStage {
    A slots[kHubWarps][kHubSlots];
    A cut_row[kHubWarps];
};

/// The codes of a lane's nonzeros in a tile and the rows that end there, as they are stored. High: `high_bytes` bytes.
template <class High>
class HubCodes {
public:
    template <class V>
    __device__ void load(const DeviceCsrHub<V>& m, std::int64_t tile, std::uint64_t cache_policy) {
        const std::int64_t lane = tile * kWarpSize + static_cast<int>(threadIdx.x) % kWarpSize;
        lows_ = Lows::from(load_once(reinterpret_cast<const uint4*>(m.lows) + lane, cache_policy));
        highs_ = Highs::from(load_once(reinterpret_cast<const typename Highs::Word*>(m.highs) + lane, cache_policy));
        lane_ = HubLane{load_once(&m.lanes[lane].bits, cache_policy)};
    }
    [[nodiscard]] __device__ unsigned operator[](int i) const { return lows_[i] | highs_[i] << 16; }
    [[nodiscard]] __device__ HubLane lane() const { return lane_; }

private:
    /// kHubEach unsigned integers as they were loaded: taken apart where they are used, so that nothing waits before.
    template <class T>
    struct Packed {
        using Word = std::conditional_t<sizeof(T) == 1, uint2, uint4>;
        static constexpr int kInWord = 4 / sizeof(T);

        unsigned words[kHubEach / kInWord];

        static __device__ Packed from(Word word) { return ::cuda::std::bit_cast<Packed>(word); }
        __device__ unsigned operator[](int i) const {
            return words[i / kInWord] >> i % kInWord * 8 * sizeof(T) & ((1u << 8 * sizeof(T)) - 1);
        }
    };
    using Lows = Packed<std::uint16_t>;
    using Highs = Packed<High>;
    Lows lows_;
    Highs highs_;
    HubLane lane_;
};

/// The work of one warp: a run.
template <class V, class A, class High>
class HubProduct {
public:
    /// `hub_x`: x of the hubs and behind them 0 for padding, in shared memory.
    __device__ HubProduct(const HubSpmv<V, A>& p, HubStage<A>& stage, const BitsOf<V>* hub_x, unsigned run)
        : p_(p),
          m_(p.matrix),
          slots_(stage.slots[threadIdx.x / kWarpSize]),
          cut_row_sum_(stage.cut_row[threadIdx.x / kWarpSize]),
          hub_x_(hub_x),
          run_(run) {}

    /// Asks for what needs no x.
    __device__ void begin() {
        const HubRun run = load_wide(m_.runs + run_);
        tile_ = run.first_tile;
        cut_row_ = run.cut_row;
        end_ = load_often(&m_.runs[run_ + 1].first_tile);
        rows_.begin = load_often(m_.first_rows + tile_);
        codes_.load(m_, tile_, p_.cache_policy);
        load_values(tile_);
        rows_.end = load_often(m_.first_rows + tile_ + 1);
        rows_.filled = load_often(m_.filled + rows_.begin / 32 + lane_);
    }

    __device__ void run() {
        load_factors(codes_, factors_);
        HubCodes<High> ahead;
        ahead.load(m_, last_or(tile_ + 1), p_.cache_policy);
#pragma unroll 1
        for (; tile_ < end_; ++tile_) multiply_tile(ahead);
        join_runs();
    }

private:
    static constexpr int kWords = kHubEach * static_cast<int>(sizeof(V)) / static_cast<int>(sizeof(uint4));

    struct Words {
        uint4 of[kWords];
    };
    struct Rows {
        unsigned begin;   ///< the first that ends in the tile
        unsigned end;     ///< behind the last
        unsigned filled;  ///< of 32 of them a lane, those with nonzeros
    };

    [[nodiscard]] __device__ unsigned last_or(unsigned tile) const { return min(tile, end_ - 1); }

    __device__ void load_values(unsigned tile) {
        const uint4* const values =
            reinterpret_cast<const uint4*>(m_.values) + (std::int64_t{tile} * kWords * kWarpSize + lane_);
#pragma unroll
        for (int i = 0; i < kWords; ++i) words_.of[i] = load_once(values + i * kWarpSize, p_.cache_policy);
    }
    /// Values and x of the next tile are on their way while the sums of this one are added up, and so are the codes of
    /// the one behind it.
    __device__ void multiply_tile(HubCodes<High>& ahead) {
        struct Values {
            V of[kHubEach];
        };
        const auto own = ::cuda::std::bit_cast<Values>(words_);
        A products[kHubEach];
#pragma unroll
        for (int i = 0; i < kHubEach; ++i) {
            products[i] = static_cast<A>(own.of[i]) * static_cast<A>(::cuda::std::bit_cast<V>(factors_[i]));
        }
        const HubLane lane = codes_.lane();
        const Rows rows = rows_;
        const unsigned next = last_or(tile_ + 1);
        load_values(next);
        codes_ = ahead;
        load_factors(codes_, factors_);
        ahead.load(m_, last_or(tile_ + 2), p_.cache_policy);
        rows_.begin = next == tile_ ? rows.begin : rows.end;
        rows_.end = load_often(m_.first_rows + next + 1);
        rows_.filled = load_often(m_.filled + rows_.begin / 32 + lane_);
        add_up(products, lane, rows);
    }

    /// Lanes whose nonzero is in no hub read the place of padding first, so that no load from shared memory depends on
    /// a condition.
    __device__ void load_factors(const HubCodes<High>& codes, BitsOf<V> (&factors)[kHubEach]) const {
        const auto* const x = reinterpret_cast<const BitsOf<V>*>(p_.x);
#pragma unroll
        for (int i = 0; i < kHubEach; ++i) factors[i] = hub_x_[min(codes[i], m_.hub_count)];
#pragma unroll
        for (int i = 0; i < kHubEach; ++i) {
            if (codes[i] > m_.hub_count) factors[i] = load_x(x + (codes[i] - m_.hub_count - 1));
        }
    }

    /// Sums of the rows that end in the tile go through `slots_`, as many at a time as these hold, from where they are
    /// written in the order of the rows.
    __device__ void add_up(const A (&products)[kHubEach], HubLane own, const Rows& rows) {
        unsigned row = rows.begin;
        int written = 0;  // of the rows with nonzeros
        A open;
        do {
            open = stage_sums(products, own, written);
            __syncwarp();
            write_rows(row, rows, written);
            __syncwarp();
        } while (row < rows.end);
        carry_ = __shfl_sync(kAllLanes, open, kWarpSize - 1);
    }

    /// Puts the sums from the `first`-th row with nonzeros on into `slots_`. Returns what the lane, and those before it
    /// that have parts of the same row, have of the row behind the last end.
    __device__ A stage_sums(const A (&products)[kHubEach], HubLane own, int first) {
        const unsigned ends = own.ends();
        int slot = own.ends_before() - first;
        A open = lane_ == 0 ? carry_ : A(0);
#pragma unroll
        for (int i = 0; i < kHubEach; ++i) {
            open += products[i];
            if ((ends >> i & 1u) == 0) continue;
            if (is_slot(slot)) slots_[slot] = open;
            ++slot;
            open = 0;
        }
        open = scan_open_rows(open, __ballot_sync(kAllLanes, ends != 0));
        const A before = sum_before(open);
        slot = own.ends_before() - first;
        if (ends != 0 && lane_ > 0 && is_slot(slot)) slots_[slot] += before;
        return open;
    }

    static __device__ bool is_slot(int i) { return static_cast<unsigned>(i) < unsigned{kHubSlots}; }

    /// Rows from `row` on as far as their sums are in `slots_`, the first of which is that of the `written`-th row with
    /// nonzeros; both go on.
    __device__ void write_rows(unsigned& row, const Rows& rows, int& written) {
        const int first = written;
#pragma unroll 1
        for (; row < rows.end; row += kWarpSize) {
            const unsigned own = row + static_cast<unsigned>(lane_);
            const unsigned word = __shfl_sync(kAllLanes, rows.filled, static_cast<int>(own / 32 - rows.begin / 32));
            const bool is_filled = own < rows.end && (word >> own % 32 & 1u) != 0;
            const unsigned all = __ballot_sync(kAllLanes, is_filled);
            if (written - first + __popc(all) > kHubSlots) return;
            const int slot = written - first + __popc(all & ((1u << lane_) - 1));
            const A sum = is_filled ? slots_[slot] : A(0);
            if (own == cut_row_) {
                cut_row_sum_ = sum;
            } else if (own < rows.end) {
                p_.write(own, sum);
            }
            written += __popc(all);
        }
    }

    /// Leaves the sum of a row that goes on, and then ends one that began in an earlier run.
    __device__ void join_runs() const {
        __syncwarp();
        const HubRun run = load_wide(m_.runs + run_);
        const AwaitedSums<A> sums(p_.partials);
        if (run.goes_on != 0 && lane_ == 0) sums.leave(run_, carry_);
        if (run.cut_row == HubRun::kNoRow) return;
        const A sum = take_sums(sums, std::int64_t{run_} - run.back, std::int64_t{run_}) + cut_row_sum_;
        if (lane_ == 0) p_.write(run.cut_row, sum);
    }

    const HubSpmv<V, A>& p_;
    const DeviceCsrHub<V>& m_;
    A (&slots_)[kHubSlots];
    A& cut_row_sum_;
    const BitsOf<V>* const hub_x_;
    const unsigned run_;
    const int lane_ = static_cast<int>(threadIdx.x) % kWarpSize;
    unsigned tile_ = 0;
    unsigned end_ = 0;
    unsigned cut_row_ = HubRun::kNoRow;
    // Of the tile:
    Rows rows_;
    HubCodes<High> codes_;
    Words words_;
    BitsOf<V> factors_[kHubEach];
    A carry_ = 0;  // of the row that is open where the tile begins, as far as it is in the run
};

/// y = alpha * A * x + beta * y, x of the hubs being in `hub_x`. Runs are spread over the blocks in their order, one
/// for each warp, so that a run waits for earlier blocks and its own only.
template <class V, class A, class High>
__global__ void __launch_bounds__(kHubThreads, 1) csr_hub_spmv(const __grid_constant__ HubSpmv<V, A> p) {
    extern __shared__ uint4 words[];
    __shared__ HubStage<A> stage;
    auto* const hub_x = reinterpret_cast<BitsOf<V>*>(words);
    const unsigned runs = p.matrix.run_count;
    const unsigned run = runs * blockIdx.x / gridDim.x + threadIdx.x / kWarpSize;
    const bool has_run = run < runs * (blockIdx.x + 1) / gridDim.x;
    HubProduct<V, A, High> product(p, stage, hub_x, run);
    if (has_run) product.begin();
    wait_for_stream();
    const auto* const source = reinterpret_cast<const uint4*>(p.hub_x);
    for (int i = static_cast<int>(threadIdx.x); i < hub_words<V>(p.matrix.hub_count); i += kHubThreads) {
        __pipeline_memcpy_async(words + i, source + i, sizeof(uint4));
    }
    __pipeline_commit();
    __pipeline_wait_prior(0);
    __syncthreads();
    if (has_run) product.run();
}

/// New values for a matrix, in the order of CSR.
template <class V>
struct HubValues {
    const V* csr_values = nullptr;
    const offset_t* sources = nullptr;
    V* values = nullptr;
};

/// A block for each tile, a thread for each place.
template <class V>
__global__ void place_hub_values(const __grid_constant__ HubValues<V> p) {
    const std::int64_t tile = blockIdx.x;
    const int i = static_cast<int>(threadIdx.x);
    const offset_t k = p.sources[tile] + i;
    if (k < p.sources[tile + 1]) p.values[tile * kHubTile + hub_place<sizeof(V)>(i)] = load_often(p.csr_values + k);
}

}  // namespace tilespmv::cuda
