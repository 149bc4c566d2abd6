#pragma once

#include "kernels/cuda/dependent_launch.cuh"
#include "kernels/cuda/load.cuh"
#include "kernels/cuda/product.cuh"
#include "kernels/cuda/tuning.hpp"
#include "kernels/cuda/warp.cuh"
#include "kernels/operators/strip/strip_columns.cuh"
#include "kernels/operators/strip/strip_rest.cuh"

namespace tilespmv::cuda {

/// The work of one thread block, of which kBlocks are resident on a multiprocessor, on one run. A lane has a row of a
/// strip: it loads 16 bytes of values, those of several slots in its row, so that the lanes of a strip ask for
/// neighbouring x. A short strip is one step; of long ones two groups of lanes may take every other quad.
template <class V, class A, int kBlocks, class Columns>
class StripProduct {
public:
    __device__ StripProduct(const DeviceStrips<V>& s, const ProductTerms<V, A>& p, const StripRun& run)
        : s_(s), p_(p), run_(run), groups_(1 << run.groups_log2) {}

    __device__ void run() const {
        if (run_.slots == 0) {
            write_zeros();
        } else if (Columns::kOfStrips && groups_ == 1 && run_.slots <= kShortStrip &&
                   (run_.holes == 0 || shares_pattern())) {
            if constexpr (Columns::kOfStrips) add_short_strips<kShortStrip>();
        } else {
            add_long_strips();
        }
    }

private:
    static constexpr int kStripsOfBlock = kStripThreads / kTileSize;
    static constexpr int kStepQuads = 2;

    template <int kCount>
    struct alignas(sizeof(V) * kCount) Values {
        V of[kCount];
    };

    /// Where a strip begins.
    struct Strip {
        std::uint32_t row0;
        std::uint32_t column0;  ///< that columns are relative to
        std::uint32_t quad;
        const V* values;
    };
    [[nodiscard]] __device__ Strip strip(int at) const {
        const auto i = static_cast<std::uint32_t>(at);
        const std::uint32_t row0 = s_.tile_rows[run_.first_strip + i] * kTileSize;
        return {row0, Columns::kOfStrips ? row0 : static_cast<std::uint32_t>(s_.bases[run_.first_strip + i]),
                run_.quad_of(i),
                s_.values + (std::int64_t{run_.first_slot} + std::int64_t{at} * run_.slots) * kTileSize};
    }

    /// The values of a quad, for this lane; whole quads stand before all others of the strip.
    struct QuadValues {
        static constexpr int kWide = kQuadLoad<sizeof(V)>;
        Values<kWide> of[kQuad / kWide];
        __device__ void load(const V* quad, int row, std::uint64_t policy) {
#pragma unroll
            for (int i = 0; i < kQuad / kWide; ++i)
                of[i] = load_once(reinterpret_cast<const Values<kWide>*>(quad) + i * kTileSize + row, policy);
        }
        [[nodiscard]] __device__ V get(int slot) const { return of[slot / kWide].of[slot % kWide]; }
    };

    /// kQuads quads of a strip and kTail slots behind its last whole quad.
    template <int kQuads, int kTail>
    struct Step {
        Columns columns[kQuads + (kTail > 0 ? 1 : 0)];
        QuadValues quads[kQuads > 0 ? kQuads : 1];
        V tail[kTail > 0 ? kTail : 1];

        [[nodiscard]] __device__ V value(int slot) const {
            return slot < kQuads * kQuad ? quads[slot / kQuad].get(slot % kQuad) : tail[slot - kQuads * kQuad];
        }
    };

    template <int kQuads, int kTail>
    __device__ void load_columns(std::uint32_t quad, Step<kQuads, kTail>& step) const {
#pragma unroll
        for (int q = 0; q < kQuads + (kTail > 0 ? 1 : 0); ++q) {
            step.columns[q].load(s_, quad + static_cast<std::uint32_t>(q), row_, p_.cache_policy);
        }
    }
    template <int kQuads, int kTail>
    __device__ void load_values_of(const V* values, Step<kQuads, kTail>& step) const {
#pragma unroll
        for (int q = 0; q < kQuads; ++q) step.quads[q].load(values + q * kQuad * kTileSize, row_, p_.cache_policy);
#pragma unroll
        for (int t = 0; t < kTail; ++t)
            step.tail[t] = load_once(values + (kQuads * kQuad + t) * kTileSize + row_, p_.cache_policy);
    }

    /// The sum of the step's products; those without a nonzero are left out: `is_there(slot)`.
    template <int kQuads, int kTail, class IsThere>
    __device__ A multiply(const Step<kQuads, kTail>& step, const V (&factors)[kQuads * kQuad + kTail], IsThere is_there,
                          A sum) const {
#pragma unroll
        for (int k = 0; k < kQuads * kQuad + kTail; ++k) {
            const A product = static_cast<A>(step.value(k)) * static_cast<A>(factors[k]);
            if constexpr (sizeof(A) == 8) {  // a choice between sums costs doubles less than a predicate, others more
                sum += is_there(k) ? product : A(0);
            } else if (is_there(k)) {
                sum += product;
            }
        }
        return sum;
    }
    template <int kQuads, int kTail>
    __device__ void load_factors(const Step<kQuads, kTail>& step, const V* x,
                                 V (&factors)[kQuads * kQuad + kTail]) const {
#pragma unroll
        for (int k = 0; k < kQuads * kQuad + kTail; ++k) {
            factors[k] = load_x(x + step.columns[k / kQuad].get(k % kQuad));
        }
    }

    /// Of a number of slots that the compiler knows, several strips at a time. A pattern that they share stays in
    /// registers.
    template <int kSlots>
    __device__ void add_short_strips() const {
        if constexpr (kSlots > 1) {
            if (run_.slots < kSlots) return add_short_strips<kSlots - 1>();
        }
        if (!shares_pattern()) {
            add_short_strips<kSlots, false, false>();
        } else if (run_.holes == 0) {
            add_short_strips<kSlots, true, false>();
        } else {
            add_short_strips<kSlots, true, true>();
        }
    }
    /// Whether a lane takes several strips of one pattern.
    [[nodiscard]] __device__ bool shares_pattern() const { return run_.shared != 0 && run_.strips > kStripsOfBlock; }

    template <int kSlots, bool kShared, bool kHoles>
    __device__ void add_short_strips() const {
        static_assert(kShared || !kHoles);
        constexpr int kQuads = kSlots / kQuad;
        constexpr int kTail = kSlots % kQuad;
        constexpr int kFlight = kShared ? strip_flight(kSlots, sizeof(V), kBlocks) : 1;
        Step<kQuads, kTail> steps[kFlight];
        V factors[kFlight][kSlots];
        const int last = run_.strips - 1;
        if (kShared) load_columns(run_.first_quad, steps[0]);
        std::uint32_t mask = kHoles ? mask_of(steps[0]) : 0;
#pragma unroll 1
        for (int first = thread_ / kTileSize; first <= last; first += kFlight * kStripsOfBlock) {
            if (kHoles) asm volatile("" : "+r"(mask));  // else a register for each slot says whether it is a hole
            Strip strips[kFlight];
#pragma unroll
            for (int u = 0; u < kFlight; ++u) {
                strips[u] = strip(min(first + u * kStripsOfBlock, last));
                load_values_of(strips[u].values, steps[u]);
            }
            if (!kShared) load_columns(strips[0].quad, steps[0]);
            wait_for_stream();
#pragma unroll
            for (int u = 0; u < kFlight; ++u) {
#pragma unroll
                for (int k = 0; k < kSlots; ++k) {
                    const auto relative = static_cast<std::uint32_t>(steps[0].columns[k / kQuad].get(k % kQuad));
                    factors[u][k] = load_x(p_.x + (strips[u].column0 + relative));  // the sum in 32 bits
                }
            }
#pragma unroll
            for (int u = 0; u < kFlight; ++u) {
                if (kHoles) clear_holes(mask, factors[u]);
                const A sum = multiply(
                    steps[u], factors[u], [](int) { return true; }, A(0));
                if (first + u * kStripsOfBlock <= last) write(strips[u].row0, sum);
            }
        }
    }

    /// Of the pattern that strips share: a bit a slot that has a nonzero.
    template <int kQuads, int kTail>
    [[nodiscard]] __device__ std::uint32_t mask_of(const Step<kQuads, kTail>& step) const {
        std::uint32_t mask = 0;
#pragma unroll
        for (int q = 0; q < kQuads + (kTail > 0 ? 1 : 0); ++q)
            mask |= (step.columns[q].mask(s_, run_.first_quad + static_cast<std::uint32_t>(q), row_) & 15U)
                    << (q * kQuad);
        return mask;
    }

    /// Values of holes are 0, so that their products are 0 if their x is.
    template <int kSlots>
    static __device__ void clear_holes(std::uint32_t mask, V (&factors)[kSlots]) {
#pragma unroll
        for (int k = 0; k < kSlots; ++k) {
            if ((mask >> k & 1U) == 0) factors[k] = V(0);
        }
    }

    __device__ void write_zeros() const {
        wait_for_stream();
        for (int at = thread_ / kTileSize; at < run_.strips; at += kStripsOfBlock) write(strip(at).row0, A(0));
    }

    __device__ void add_long_strips() const {
        const int lanes = kTileSize * groups_;
        for (int first = 0; first < run_.strips; first += kStripThreads / lanes) {
            const int at = first + thread_ / lanes;
            const Strip now = strip(min(at, run_.strips - 1));
            A sum = run_.holes == 0 ? add_steps<false>(now) : add_steps<true>(now);
            sum = add_rest_of<3>(now, sum);
            if (groups_ == 2) sum += __shfl_xor_sync(kAllLanes, sum, kTileSize);
            if (at < run_.strips && group() == 0) write(now.row0, sum);
        }
    }

    [[nodiscard]] __device__ int group() const { return thread_ / kTileSize & (groups_ - 1); }
    [[nodiscard]] __device__ int whole_quads() const { return run_.slots / kQuad; }
    /// Whole quads that are left when all groups have taken whole steps.
    [[nodiscard]] __device__ int rest_quads() const { return whole_quads() % (kStepQuads * groups_); }

    /// Steps of kStepQuads quads of each group.
    template <bool kHoles>
    [[nodiscard]] __device__ A add_steps(const Strip& strip) const {
        A sum = 0;
#pragma unroll 1
        for (int first = 0; first < whole_quads() - rest_quads(); first += kStepQuads * groups_) {
            const int quad = first + group() * kStepQuads;
            Step<kStepQuads, 0> step;
            std::uint32_t masks[kStepQuads];
            V factors[kStepQuads * kQuad];
            load_columns(strip.quad + static_cast<std::uint32_t>(quad), step);
            if (kHoles) {
#pragma unroll
                for (int q = 0; q < kStepQuads; ++q)
                    masks[q] = step.columns[q].mask(s_, strip.quad + static_cast<std::uint32_t>(quad + q), row_);
            }
            load_values_of(strip.values + quad * kQuad * kTileSize, step);
            wait_for_stream();
            load_factors(step, p_.x + strip.column0, factors);
            sum = multiply(
                step, factors, [&](int k) { return !kHoles || (masks[k / kQuad] >> (k % kQuad) & 1U) != 0; }, sum);
        }
        return sum;
    }

    /// What is behind whole steps: up to kStepQuads quads of each group, and kTail slots, which the last group takes.
    template <int kTail>
    [[nodiscard]] __device__ A add_rest_of(const Strip& strip, A sum) const {
        if constexpr (kTail > 0) {
            if (run_.slots % kQuad != kTail) return add_rest_of<kTail - 1>(strip, sum);
        }
        const int rest = rest_quads();
        if (rest > groups_) return add_rest<2, kTail>(strip, sum);
        if (rest > 0) return add_rest<1, kTail>(strip, sum);
        if constexpr (kTail > 0) return add_rest<0, kTail>(strip, sum);
        wait_for_stream();
        return sum;
    }

    /// What a group does not have it repeats, and leaves it out.
    template <int kQuads, int kTail>
    [[nodiscard]] __device__ A add_rest(const Strip& strip, A sum) const {
        Step<kQuads, kTail> step;
        std::uint32_t masks[kQuads + 1];
        V factors[kQuads * kQuad + kTail];
#pragma unroll
        for (int q = 0; q < kQuads; ++q) {
            const int wanted = whole_quads() - rest_quads() + q * groups_ + group();
            const int at = min(wanted, whole_quads() - 1);
            const auto quad = strip.quad + static_cast<std::uint32_t>(at);
            step.columns[q].load(s_, quad, row_, p_.cache_policy);
            masks[q] = wanted == at ? step.columns[q].mask(s_, quad, row_) : 0;
            step.quads[q].load(strip.values + at * kQuad * kTileSize, row_, p_.cache_policy);
        }
        if constexpr (kTail > 0) {
            const auto quad = strip.quad + static_cast<std::uint32_t>(whole_quads());
            step.columns[kQuads].load(s_, quad, row_, p_.cache_policy);
            masks[kQuads] = group() == groups_ - 1 ? step.columns[kQuads].mask(s_, quad, row_) : 0;
#pragma unroll
            for (int t = 0; t < kTail; ++t) {
                step.tail[t] =
                    load_once(strip.values + (whole_quads() * kQuad + t) * kTileSize + row_, p_.cache_policy);
            }
        }
        wait_for_stream();
        load_factors(step, p_.x + strip.column0, factors);
        return multiply(
            step, factors, [&](int k) { return (masks[k / kQuad] >> (k % kQuad) & 1U) != 0; }, sum);
    }

    __device__ void write(std::uint32_t row0, A sum) const {
        const std::uint32_t row = row0 + static_cast<std::uint32_t>(row_);
        if (row < static_cast<std::uint32_t>(p_.rows)) p_.write(row, sum);
    }

    const DeviceStrips<V>& s_;
    const ProductTerms<V, A>& p_;
    const StripRun& run_;
    const int groups_;
    const int thread_ = static_cast<int>(threadIdx.x);
    const int row_ = thread_ % kTileSize;
};

/// Everything one product reads and writes, all of it in device memory.
template <class V, class A>
struct StripSpmv : ProductTerms<V, A> {
    DeviceStrips<V> ranks;  ///< filled by rank
    DeviceStrips<V> strips;
};

/// The same with rows that are no strips.
template <class V, class A>
struct StripAndRestSpmv : StripSpmv<V, A> {
    DeviceRest<V> rest;
};

template <class Columns, int kBlocks, class V, class A>
__device__ void multiply_strips(const DeviceStrips<V>& s, const ProductTerms<V, A>& p, std::int64_t run_at) {
    const StripRun run = load_wide(s.runs + run_at);
    StripProduct<V, A, kBlocks, Columns>(s, p, run).run();
}

/// Strips filled by rank, then others.
template <int kBlocks, class V, class A>
__device__ void multiply_ranks_and_strips(const StripSpmv<V, A>& p, std::int64_t run_at) {
    if (run_at < p.ranks.run_count) return multiply_strips<RankColumns, kBlocks>(p.ranks, p, run_at);
    multiply_strips<WindowColumns, kBlocks>(p.strips, p, run_at - p.ranks.run_count);
}

/// y = alpha * A * x + beta * y.
template <class V, class A, int kBlocks>
__global__ void __launch_bounds__(kStripThreads, resident(kBlocks, kStripThreads))
    strip_spmv(const __grid_constant__ StripSpmv<V, A> p) {
    multiply_ranks_and_strips<kBlocks>(p, std::int64_t{blockIdx.x});
}

/// The same: the tile rows of the rest, then strips.
template <class V, class A, int kBlocks>
__global__ void __launch_bounds__(kStripThreads, resident(kBlocks, kStripThreads))
    strip_and_rest_spmv(const __grid_constant__ StripAndRestSpmv<V, A> p) {
    const std::int64_t at = blockIdx.x;
    if (at < p.rest.count) return multiply_rest(p.rest, p, at);
    multiply_ranks_and_strips<kBlocks>(p, at - p.rest.count);
}

}  // namespace tilespmv::cuda
