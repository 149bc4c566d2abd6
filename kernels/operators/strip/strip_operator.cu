#include "kernels/cuda/device_operator.hpp"
#include "kernels/cuda/launch.cuh"
#include "kernels/cuda/source_arrays.hpp"
#include "kernels/cuda/this_gpu.hpp"
#include "kernels/executed.hpp"
#include "kernels/operators/strip/find_strips.hpp"
#include "kernels/operators/strip/strip_fill.cuh"
#include "kernels/operators/strip/strip_to_csr.cuh"

namespace tilespmv::cuda {
namespace {

StripLimits read_options(Options& options, index_t rows, offset_t nonzeros, int value_bytes) {
    StripLimits limits = strip_limits(rows, nonzeros, value_bytes, this_gpu(value_bytes));
    limits.most_bytes = options.number("bytes", limits.most_bytes, 0, 1e9);
    limits.most_rank_bytes = options.number("ranks", limits.most_rank_bytes, 0, 1e9);
    limits.lane_slots = static_cast<int>(options.whole("lane_slots", limits.lane_slots, kShortStrip, 512));
    if (options.has("resident_blocks")) {
        limits.resident_blocks = limits.rank_blocks =
            options.one_of("resident_blocks", limits.resident_blocks, {kFewStripBlocks, kManyStripBlocks});
    }
    options.finish();
    return limits;
}

/// Strips of either kind in device memory, with room for their values.
template <class V>
class StripBuffers {
public:
    StripBuffers(StripArrays arrays, const DeviceContext& on)
        : arrays_(std::move(arrays)), values_(static_cast<std::size_t>(arrays_.slots) * kTileSize, on) {}

    [[nodiscard]] DeviceStrips<V> view() const {
        return {arrays_.runs.data(),  std::ssize(arrays_.runs), arrays_.tile_rows.data(),
                arrays_.bases.data(), arrays_.codes.data(),     arrays_.masks.data(),
                values_.data()};
    }
    [[nodiscard]] std::size_t matrix_bytes() const { return arrays_.bytes() + values_.bytes(); }
    [[nodiscard]] ExecutedPart part(const char* name) const {
        return {name, "", arrays_.occupied, arrays_.nonzeros, matrix_bytes()};
    }
    [[nodiscard]] DeviceBuffer<V>& values() { return values_; }

private:
    StripArrays arrays_;
    DeviceBuffer<V> values_;
};

/// All but values, on the GPU: strips, strips filled by rank, and CSR for what is left.
struct StripPlan {
    StripArrays strips = {};
    StripArrays ranks = {};
    RestArrays rest = {};
};

/// Of the rows of `a`.
template <class V>
StripPlan make_plan(const Source<V>& a, const DeviceRows& rows, const StripLimits& limits, const DeviceContext& on) {
    FoundStrips found = find_strips(rows, limits, on);
    FoundStrips ranks;
    if (limits.most_rank_bytes > 0) ranks = find_rank_strips(rows, found.rest, limits, on);
    count_bytes_to_host(a, found.bytes_to_host + ranks.bytes_to_host);
    const RestBefore all{a.nnz() - found.strips.nonzeros - ranks.strips.nonzeros,
                         tile_rows_of(a) - found.strips.occupied - ranks.strips.occupied};
    FoundStrips& last = limits.most_rank_bytes > 0 ? ranks : found;
    StripPlan plan{.strips = std::move(found.strips), .ranks = std::move(ranks.strips)};
    plan.rest = make_rest(rows, std::move(last), all, on);
    return plan;
}

template <class V, class A>
class StripOperator final : public DeviceOperator<V> {
public:
    /// Without values. Takes the arrays of `plan` that are on the GPU, and `row_ptrs`, those of the whole matrix.
    StripOperator(const Facts& facts, StripPlan& plan, DeviceBuffer<offset_t> row_ptrs, const StripLimits& limits,
                  const DeviceContext& on)
        : DeviceOperator<V>(facts),
          resident_blocks_(plan.ranks.nonzeros > plan.strips.nonzeros ? limits.rank_blocks : limits.resident_blocks),
          strips_(std::move(plan.strips), on),
          ranks_(std::move(plan.ranks), on),
          rest_(std::move(plan.rest)),
          rest_values_(rest_.cols.size(), on),
          row_ptrs_(std::move(row_ptrs)) {
        const std::size_t rest_bytes = rest_.bytes() + rest_values_.bytes();
        ExecutedParts parts;
        parts.add({strips_.part("strip"),
                   ranks_.part("rank-strip"),
                   {"csr", "", rest_.all.occupied, rest_.all.nonzeros, rest_bytes}},
                  0);
        this->set_parts(strips_.matrix_bytes() + ranks_.matrix_bytes() + rest_bytes, row_ptrs_.bytes(), parts.finish());
    }

    void multiply(const Product<V>& product, cudaStream_t stream) const override {
        StripAndRestSpmv<V, A> p;
        static_cast<ProductTerms<V, A>&>(p) = terms_of<A>(product, this->rows(), this->cols());
        p.strips = strips_.view();
        p.ranks = ranks_.view();
        p.rest = rest_view();
        with_constant<kFewStripBlocks, kManyStripBlocks>(resident_blocks_,
                                                         [&]<int kBlocks>() { launch_strips<kBlocks>(p, stream); });
    }
    /// `csr_values` in the order of the whole matrix.
    void replace_values(const V* csr_values, cudaStream_t stream) override {
        const StripFill<V> p{.csr_values = csr_values,
                             .row_ptrs = row_ptrs_.data(),
                             .rows = this->rows(),
                             .strips = strips_.view(),
                             .values = strips_.values().data(),
                             .ranks = ranks_.view(),
                             .rank_values = ranks_.values().data(),
                             .rest = rest_view()};
        launch(fill_strips<V>, p.strips.run_count + p.ranks.run_count + p.rest.count, kStripThreads, p, stream);
    }

private:
    bool write_csr(const CsrToWrite<V>& to, cudaStream_t stream) const override {
        const StripsToCsr<V> p{row_ptrs_.data(), this->rows(), strips_.view(), ranks_.view(), rest_view(), to};
        copy_there(to.row_ptrs, row_ptrs_.data(), row_ptrs_.size(), stream);
        launch(read_strips<V>, p.strips.run_count + p.ranks.run_count + p.rest.count, kStripThreads, p, stream);
        return true;
    }

    template <int kBlocks>
    static void launch_strips(const StripAndRestSpmv<V, A>& p, cudaStream_t stream) {
        const std::int64_t blocks = p.strips.run_count + p.ranks.run_count + p.rest.count;
        if (p.rest.count > 0) {
            launch_dependent(strip_and_rest_spmv<V, A, kBlocks>, blocks, kStripThreads, p, stream);
        } else {
            launch_dependent(strip_spmv<V, A, kBlocks>, blocks, kStripThreads, StripSpmv<V, A>(p), stream);
        }
    }

    [[nodiscard]] DeviceRest<V> rest_view() const {
        return {rest_.tile_rows.data(), rest_.before.data(), std::ssize(rest_.tile_rows), row_ptrs_.data(),
                this->rows(),           rest_.cols.data(),   rest_values_.data()};
    }

    int resident_blocks_;  ///< of a multiprocessor
    StripBuffers<V> strips_;
    StripBuffers<V> ranks_;
    RestArrays rest_;
    DeviceBuffer<V> rest_values_;
    DeviceBuffer<offset_t> row_ptrs_;  ///< of CSR, for the rest and for new values
};

}  // namespace

/// Strips (`Strips`), strips filled by rank, and CSR for rows that would take too many bytes as either, in one launch.
/// Made from CSR on the GPU. Options: bytes (1; parts of 16,384 rows become strips if they take at most so many times
/// the bytes of 16-bit columns), lane_slots (slots of a strip before twice as many lanes share it: 11 to 512),
/// resident_blocks (of a multiprocessor: 12 or 18), these two by `strip_sizes`, and ranks (as bytes, of strips filled
/// by rank; 1.2, 0 below 1,000 tile rows).
template <class V>
std::unique_ptr<Operator<V>> make_strip_operator(const Source<V>& source, Options& options,
                                                 const MakeContext& context) {
    const DeviceContext& on = *context.device;
    const StripLimits limits = read_options(options, source.rows(), source.nnz(), sizeof(V));
    return with_accumulator<V>(*context.accumulator, [&]<class A>() -> std::unique_ptr<DeviceOperator<V>> {
        DeviceBuffer<offset_t> row_ptrs = row_ptrs_on_device(source, on);
        const CsrToRead<V> csr(source, on);
        StripPlan plan = make_plan(source, {source.rows(), row_ptrs.data(), csr.columns()}, limits, on);
        const Facts facts{.name = "strip", .rows = source.rows(), .cols = source.cols(), .nnz = source.nnz()};
        auto made = std::make_unique<StripOperator<V, A>>(facts, plan, std::move(row_ptrs), limits, on);
        made->replace_values(csr.values(), on);
        return made;
    });
}

template <class V>
OperatorInfo<V> info_of_strip() {
    return on_device<V>({.name = "strip",
                         .summary = "16 rows as slots of one nonzero a row with 4-bit columns (bytes=B, ranks=B, "
                                    "lane_slots=N, resident_blocks=12|18)",
                         .sweeps = "bytes=1|1000,resident_blocks=12|18,ranks=0|1000"},
                        make_strip_operator<V>);
}

#define TILESPMV_INSTANTIATE(V) template OperatorInfo<V> info_of_strip();
TILESPMV_FOR_EACH_VALUE(TILESPMV_INSTANTIATE)

}  // namespace tilespmv::cuda
