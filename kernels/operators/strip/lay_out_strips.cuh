#pragma once

#include <cub/block/block_merge_sort.cuh>
#include <cub/block/block_scan.cuh>

#include "kernels/cuda/warp.cuh"
#include "kernels/operators/strip/find_strips.cuh"
#include "kernels/operators/strip/strip_rest.hpp"

namespace tilespmv::cuda {

/// What the strips of a part take, or those of all parts up to one.
struct StripTotals {  // without initialisers, as it stands in shared memory
    std::uint64_t runs;
    std::uint64_t strips;
    std::uint64_t quads;
    std::uint64_t slots;
    unsigned long long nonzeros;
    std::uint64_t occupied;  ///< strips that have nonzeros
    // Of tile rows that are no strips:
    std::uint64_t rest_nonzeros;
    std::uint64_t rest_occupied;
};

struct SumOfTotals {
    StripTotals operator()(const StripTotals& a, const StripTotals& b) const {
        return {a.runs + b.runs,
                a.strips + b.strips,
                a.quads + b.quads,
                a.slots + b.slots,
                a.nonzeros + b.nonzeros,
                a.occupied + b.occupied,
                a.rest_nonzeros + b.rest_nonzeros,
                a.rest_occupied + b.rest_occupied};
    }
};

/// Parts whose strips are to be divided into runs; positions are those among the strips of a part. Arrays have room for
/// `kTileRowsOfPart` elements a part.
struct PartsToLayOut {
    StripsToFind found;
    StripRun* runs = nullptr;
    std::uint32_t* tile_rows = nullptr;
    std::uint8_t* is_rest = nullptr;  ///< of the tile rows that were given
    StripTotals* totals = nullptr;    ///< of each part
    StripTotals* totals_on_host = nullptr;
};

/// The strips of a part, a thread for each.
template <bool kByRank>
class PartLayout {
    using Sort = cub::BlockMergeSort<std::uint32_t, kTileRowsOfPart, 1>;
    using Scan = cub::BlockScan<std::uint32_t, kTileRowsOfPart>;

public:
    struct Shared {
        union {
            typename Sort::TempStorage sort;
            typename Scan::TempStorage scan;
        };
        std::uint16_t group_end[kTileRowsOfPart];  ///< of strips of one pattern, where their first one is
        std::uint16_t in_group[kTileRowsOfPart];   ///< the position of a sorted strip in its group
        std::uint16_t run_first[kTileRowsOfPart + 1];
        std::uint32_t kind[kTileRowsOfPart];  ///< slots and whether the pattern is its own
        std::uint32_t quad[kTileRowsOfPart];
        unsigned run_holes[kTileRowsOfPart];
        StripTotals totals;
        unsigned long long nonzeros_of_part;
        std::uint64_t occupied_of_part;
    };

    __device__ PartLayout(const PartsToLayOut& p, Shared& shared)
        : p_(p), limits_(p.found.limits), s_(shared), first_(std::int64_t{blockIdx.x} * kTileRowsOfPart) {}

    __device__ void run() {
        const std::int64_t i = first_ + at_;
        const bool is_given = i < p_.found.count;
        const std::uint64_t key = is_given ? p_.found.sorted[i] : ~std::uint64_t{0};
        const bool is_strip = slots_of_key(key) != kLeftOut;
        s_.run_holes[at_] = 0;
        if (at_ == 0) {
            s_.totals = {};
            s_.nonzeros_of_part = 0;
        }
        strips_ = __syncthreads_count(is_strip);
        order(key, is_strip);
        divide();
        count(key, is_given, is_strip);
        const bool is_taken = takes_few_bytes(min(p_.found.count - first_, std::int64_t{kTileRowsOfPart}));
        if (is_taken) write_strip();
        if (is_given) p_.is_rest[first_ + static_cast<int>(key & kTags)] = is_taken && is_strip ? 0 : 1;
        if (at_ != 0) return;
        StripTotals totals = is_taken ? s_.totals : StripTotals{};
        totals.rest_nonzeros = s_.nonzeros_of_part - totals.nonzeros;
        totals.rest_occupied = s_.occupied_of_part - totals.occupied;
        p_.totals[blockIdx.x] = p_.totals_on_host[blockIdx.x] = totals;
    }

private:
    /// By slots; of as many slots first those that share a pattern, then the others by their tile rows.
    __device__ void order(std::uint64_t key, bool is_strip) {
        const auto repeats = [&](int at) { return !kByRank && at < strips_ && p_.found.repeats[first_ + at] != 0; };
        const int slots = slots_of_key(key);
        const int start = greatest_before(repeats(at_) ? 0 : at_);
        if (is_strip && !repeats(at_ + 1)) s_.group_end[start] = static_cast<std::uint16_t>(at_ + 1);
        s_.in_group[at_] = static_cast<std::uint16_t>(at_ - start);
        __syncthreads();
        std::uint32_t by[1] = {~0U};
        if (is_strip) {
            const int sharing =
                kByRank ? 0 : strips_that_share(s_.group_end[start] - start, strips_of_run(limits_, slots, true));
            const bool is_own = at_ - start >= sharing;
            const auto tag = static_cast<std::uint32_t>(key & kTags);
            by[0] = static_cast<std::uint32_t>(slots) << (2 * kKeyTagBits + 1) |
                    (is_own ? 1U << (2 * kKeyTagBits) : 0) |
                    (is_own ? tag : static_cast<std::uint32_t>(at_)) << kKeyTagBits | tag;
        }
        Sort(s_.sort).Sort(by, [](std::uint32_t left, std::uint32_t right) { return left < right; });
        __syncthreads();
        kind_ = by[0] >> (2 * kKeyTagBits);
        tag_ = static_cast<int>(by[0] & kTags);
        is_strip_ = at_ < strips_;
        slots_ = is_strip_ ? static_cast<int>(kind_ >> 1) : 0;
        is_own_ = (kind_ & 1) != 0;
        in_group_ = is_own_ ? 0 : s_.in_group[by[0] >> kKeyTagBits & kTags];
        s_.kind[at_] = kind_;
        __syncthreads();
    }

    /// Into runs.
    __device__ void divide() {
        const bool is_first = at_ == 0 || s_.kind[at_ - 1] != kind_;
        const int among_own = at_ - greatest_before(is_first ? at_ : 0);
        const int in_line = is_own_ ? among_own : in_group_;
        const int each = kByRank ? limits_.threads / kTileSize >> strip_groups_log2(limits_, slots_)
                                 : strips_of_run(limits_, slots_, !is_own_);
        const bool begins_run = is_strip_ && in_line % each == 0;
        const bool has_columns = is_strip_ && (is_own_ || in_group_ == 0);
        std::uint32_t quads = 0;
        std::uint32_t slots = 0;
        std::uint32_t runs = 0;
        quad_ = sum_before(has_columns ? (slots_ + kQuad - 1U) / kQuad : 0, quads);
        slot_ = sum_before(static_cast<std::uint32_t>(slots_), slots);
        run_ = sum_before(begins_run ? 1 : 0, runs) + (begins_run ? 1 : 0) - 1;
        begins_run_ = begins_run;
        s_.quad[at_] = quad_;
        if (begins_run) s_.run_first[run_] = static_cast<std::uint16_t>(at_);
        if (at_ == 0) {
            s_.run_first[runs] = static_cast<std::uint16_t>(strips_);
            s_.totals.runs = runs;
            s_.totals.quads = quads;
            s_.totals.slots = slots;
            s_.totals.strips = static_cast<std::uint64_t>(strips_);
        }
        if (is_strip_ && (p_.found.keys[first_ + tag_] & kHasHoles) != 0) atomicOr(&s_.run_holes[run_], 1U);
        const int occupied = __syncthreads_count(slots_ > 0);
        if (at_ == 0) s_.totals.occupied = static_cast<std::uint64_t>(occupied);
    }

    /// The nonzeros of the strips and of the part.
    __device__ void count(std::uint64_t key, bool is_given, bool is_strip) {
        unsigned long long nonzeros = 0;
        if (is_given) {
            const std::int64_t row = p_.found.tile_row(first_ + static_cast<int>(key & kTags)) * kTileSize;
            const DeviceRows& a = p_.found.a;
            nonzeros = static_cast<unsigned long long>(a.row_ptrs[min(row + kTileSize, std::int64_t{a.rows})] -
                                                       a.row_ptrs[row]);
        }
        // Atomics of 64 bits in shared memory are loops: one for each warp.
        const unsigned long long of_warp = sum_of_warp(nonzeros);
        const unsigned long long of_strips = sum_of_warp(is_strip ? nonzeros : 0);
        if (at_ % kWarpSize == 0) {
            atomicAdd(&s_.nonzeros_of_part, of_warp);
            atomicAdd(&s_.totals.nonzeros, of_strips);
        }
        const int occupied = __syncthreads_count(nonzeros > 0);
        if (at_ == 0) s_.occupied_of_part = static_cast<std::uint64_t>(occupied);
    }

    [[nodiscard]] __device__ bool takes_few_bytes(std::int64_t tile_rows) const {
        const auto nonzeros = static_cast<offset_t>(s_.totals.nonzeros);
        const auto quads = static_cast<std::int64_t>(s_.totals.quads);
        const double values = strip_value_bytes(limits_, static_cast<std::int64_t>(s_.totals.slots));
        const double in_narrow_csr = narrow_csr_bytes_of(limits_, nonzeros, strips_);
        if (kByRank) return !(rank_quad_bytes(quads) + values > limits_.most_rank_bytes * in_narrow_csr);
        const double all =
            limits_.most_bytes * narrow_csr_bytes_of(limits_, static_cast<offset_t>(s_.nonzeros_of_part), tile_rows);
        return values <= all && quad_bytes(quads) + values <= limits_.most_bytes * in_narrow_csr;
    }

    __device__ void write_strip() const {
        if (!is_strip_) return;
        p_.tile_rows[first_ + at_] = static_cast<std::uint32_t>(p_.found.tile_row(first_ + tag_));
        if (!begins_run_) return;
        StripRun run;
        run.first_slot = slot_;
        run.first_quad = is_own_ ? quad_ : s_.quad[at_ - in_group_];
        run.first_strip = static_cast<std::uint32_t>(at_);
        run.slots = static_cast<std::uint16_t>(slots_);
        run.strips = static_cast<std::uint8_t>(s_.run_first[run_ + 1] - at_);
        run.groups_log2 = static_cast<std::uint8_t>(strip_groups_log2(limits_, slots_)) & 15U;
        run.shared = is_own_ ? 0 : 1;
        run.holes = s_.run_holes[run_] & 1U;
        p_.runs[first_ + run_] = run;
    }

    [[nodiscard]] __device__ int greatest_before(int value) {
        std::uint32_t greatest = 0;
        Scan(s_.scan).InclusiveScan(static_cast<std::uint32_t>(value), greatest,
                                    [](std::uint32_t a, std::uint32_t b) { return max(a, b); });
        __syncthreads();
        return static_cast<int>(greatest);
    }
    [[nodiscard]] __device__ std::uint32_t sum_before(std::uint32_t value, std::uint32_t& all) {
        std::uint32_t before = 0;
        Scan(s_.scan).ExclusiveSum(value, before, all);
        __syncthreads();
        return before;
    }

    const PartsToLayOut& p_;
    const StripLimits& limits_;
    Shared& s_;
    std::int64_t first_;                      ///< tile row of the part, among those that were given
    int at_ = static_cast<int>(threadIdx.x);  ///< the strip of this thread, in the order of the part
    int strips_ = 0;
    std::uint32_t kind_ = 0;
    int tag_ = 0;
    bool is_strip_ = false;
    int slots_ = 0;
    bool is_own_ = false;  ///< its pattern
    int in_group_ = 0;     ///< of the strips that share it
    std::uint32_t quad_ = 0;
    std::uint32_t slot_ = 0;
    std::uint32_t run_ = 0;
    bool begins_run_ = false;
};

template <bool kByRank>
__global__ void __launch_bounds__(kTileRowsOfPart) lay_out_strips(const __grid_constant__ PartsToLayOut p) {
    __shared__ typename PartLayout<kByRank>::Shared shared;
    PartLayout<kByRank>(p, shared).run();
}

/// Parts that are put one behind the other.
struct PartsToJoin {
    PartsToLayOut parts;
    StripRun* runs = nullptr;
    std::uint32_t* tile_rows = nullptr;
    std::int64_t strips = 0;        ///< of all parts
    std::uint32_t* rest = nullptr;  ///< tile rows that are no strips, in the order in which all were given
    RestBefore* before = nullptr;   ///< each of these; null if others follow that may become strips
};

/// The totals of the parts before that of this block, a warp for each number.
__device__ StripTotals totals_before(const StripTotals* totals) {
    constexpr unsigned kNumbers = sizeof(StripTotals) / sizeof(std::uint64_t);
    static_assert(kNumbers <= kFindThreads / kWarpSize);
    __shared__ std::uint64_t before[kNumbers];
    const unsigned warp = threadIdx.x / kWarpSize;
    if (warp < kNumbers) {
        std::uint64_t sum = 0;
        for (unsigned part = threadIdx.x % kWarpSize; part < blockIdx.x; part += kWarpSize)
            sum += reinterpret_cast<const std::uint64_t*>(totals + part)[warp];
        __syncwarp();
        sum = sum_of_warp(sum);
        if (threadIdx.x % kWarpSize == 0) before[warp] = sum;
    }
    __syncthreads();
    return {before[0], before[1], before[2], before[3], before[4], before[5], before[6], before[7]};
}

/// Lists the tile rows of a part that are no strips, of which there are `listed` in the parts before.
__device__ void list_rest(const PartsToJoin& p, std::int64_t first, std::int64_t listed, const RestBefore& start) {
    constexpr int kItems = kTileRowsOfPart / kFindThreads;
    using Scan = cub::BlockScan<int, kFindThreads>;
    using ScanRest = cub::BlockScan<RestBefore, kFindThreads>;
    __shared__ typename Scan::TempStorage storage;
    __shared__ typename ScanRest::TempStorage rest_storage;
    const StripsToFind& found = p.parts.found;
    const DeviceRows& a = found.a;
    first += threadIdx.x * kItems;
    int places[kItems] = {};
    RestBefore before[kItems] = {};
    for (int i = 0; i < kItems; ++i) {
        if (first + i >= found.count || p.parts.is_rest[first + i] == 0) continue;
        const std::int64_t row = found.tile_row(first + i) * kTileSize;
        const offset_t nonzeros = a.row_ptrs[min(row + kTileSize, std::int64_t{a.rows})] - a.row_ptrs[row];
        places[i] = 1;
        before[i] = {nonzeros, nonzeros > 0 ? 1 : 0};
    }
    RestBefore all;
    Scan(storage).ExclusiveSum(places, places);
    ScanRest(rest_storage)
        .ExclusiveScan(
            before, before, RestBefore{}, [](const RestBefore& left, const RestBefore& right) { return left + right; },
            all);
    for (int i = 0; i < kItems; ++i) {
        if (first + i >= found.count || p.parts.is_rest[first + i] == 0) continue;
        p.rest[listed + places[i]] = static_cast<std::uint32_t>(found.tile_row(first + i));
        if (p.before != nullptr) p.before[listed + places[i]] = start + before[i];
    }
    if (p.before == nullptr || blockIdx.x + 1 < gridDim.x || threadIdx.x > 0) return;
    p.before[found.count - p.strips] = start + all;
}

/// A block of threads for each part.
__global__ void __launch_bounds__(kFindThreads) join_strips(const __grid_constant__ PartsToJoin p) {
    const StripTotals start = totals_before(p.parts.totals);
    const StripTotals own = p.parts.totals[blockIdx.x];
    const std::int64_t first = std::int64_t{blockIdx.x} * kTileRowsOfPart;
    for (unsigned i = threadIdx.x; i < own.runs; i += kFindThreads) {
        StripRun run = p.parts.runs[first + i];
        run.first_slot += static_cast<std::uint32_t>(start.slots);
        run.first_quad += static_cast<std::uint32_t>(start.quads);
        run.first_strip += static_cast<std::uint32_t>(start.strips);
        p.runs[start.runs + i] = run;
    }
    for (unsigned i = threadIdx.x; i < own.strips; i += kFindThreads)
        p.tile_rows[start.strips + i] = p.parts.tile_rows[first + i];
    list_rest(p, first, first - static_cast<std::int64_t>(start.strips),
              {static_cast<offset_t>(start.rest_nonzeros), static_cast<offset_t>(start.rest_occupied)});
}

}  // namespace tilespmv::cuda
