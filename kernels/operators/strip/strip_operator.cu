#include "kernels/cuda/device_operator.hpp"
#include "kernels/cuda/launch.cuh"
#include "kernels/cuda/source_arrays.hpp"
#include "kernels/cuda/this_gpu.hpp"
#include "kernels/executed.hpp"
#include "kernels/operators/strip/find_strips.hpp"
#include "kernels/operators/strip/strip_fill.cuh"
#include "kernels/operators/strip/strip_matrix.hpp"

namespace tilespmv::cuda {
namespace {

struct StripOptions {
    StripLimits limits;
    bool takes_stored;  ///< strips that are there will do, however they are divided into runs
};

StripOptions read_options(Options& options, index_t rows, offset_t nonzeros, int value_bytes) {
    StripLimits limits = strip_limits(rows, nonzeros, value_bytes, this_gpu(value_bytes));
    const bool asks = options.has("bytes") || options.has("lane_slots") || options.has("block_strips");
    limits.most_bytes = options.number("bytes", limits.most_bytes, 0, 1e9);
    limits.most_rank_bytes = options.number("ranks", limits.most_rank_bytes, 0, 1e9);
    limits.lane_slots = static_cast<int>(options.whole("lane_slots", limits.lane_slots, kShortStrip, 512));
    limits.block_strips = static_cast<int>(options.whole("block_strips", limits.block_strips, 1, 128));
    if (options.has("resident_blocks")) {
        limits.resident_blocks = limits.rank_blocks =
            options.one_of("resident_blocks", limits.resident_blocks, {kFewStripBlocks, kManyStripBlocks});
    }
    options.finish();
    return {limits, !asks};
}

/// Copies what stands in the memory of the host, which must stay until the stream has passed.
StripArrays upload(const Strips& s, const DeviceContext& on) {
    StripArrays there;
    there.runs = DeviceBuffer<StripRun>(s.runs, on);
    there.tile_rows = DeviceBuffer<std::uint32_t>(s.tile_rows, on);
    there.bases = DeviceBuffer<std::int32_t>(s.bases, on);
    there.codes = DeviceBuffer<std::uint16_t>(s.codes, on);
    there.masks = DeviceBuffer<std::uint8_t>(s.masks, on);
    there.slots = s.slots;
    there.nonzeros = s.nonzeros;
    for (const StripRun& run : s.runs) there.occupied += run.slots > 0 ? run.strips : 0;
    return there;
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
    std::size_t bytes_to_host = 0;  ///< that were copied to make it
};

/// Adds the tile rows of `rest` to a plan. `a` has them.
void add_rest(StripPlan& plan, const DeviceRows& a, const DeviceBuffer<std::uint32_t>& rest, const StripLimits& limits,
              const DeviceContext& on) {
    FoundStrips ranks = find_rank_strips(a, rest, limits, on);
    plan.ranks = std::move(ranks.strips);
    plan.rest = make_rest(a, std::move(ranks.rest), on);
    plan.bytes_to_host += ranks.bytes_to_host + (plan.rest.tile_rows.empty() ? 0 : sizeof plan.rest.all);
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
        TILESPMV_CUDA(cudaStreamSynchronize(on));  // the host's copies go away
    }

    /// Values of strips, as lanes load them, and those of all other rows out of `rest`, which begin at `rest_ptrs`.
    void load(const Buffer<V>& of_strips, const Buffer<V>& rest, const offset_t* rest_ptrs, const DeviceContext& on) {
        strips_.values().upload({of_strips.data(), of_strips.size()}, on);
        const DeviceBuffer<V> values_of_rest(rest, on);
        StripFill<V> p = fill_of(values_of_rest.data());
        p.row_ptrs = p.rest.row_ptrs = rest_ptrs;
        p.strips = {};  // theirs are there
        fill(p, on);
        TILESPMV_CUDA(cudaStreamSynchronize(on));
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
    void replace_values(const V* csr_values, cudaStream_t stream) override { fill(fill_of(csr_values), stream); }

private:
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
    /// `csr_values` in the order of the whole matrix.
    [[nodiscard]] StripFill<V> fill_of(const V* csr_values) {
        return {.csr_values = csr_values,
                .row_ptrs = row_ptrs_.data(),
                .rows = this->rows(),
                .strips = strips_.view(),
                .values = strips_.values().data(),
                .ranks = ranks_.view(),
                .rank_values = ranks_.values().data(),
                .rest = rest_view()};
    }
    static void fill(const StripFill<V>& p, cudaStream_t stream) {
        launch(fill_strips<V>, p.strips.run_count + p.ranks.run_count + p.rest.count, kStripThreads, p, stream);
    }

    int resident_blocks_;  ///< of a multiprocessor
    StripBuffers<V> strips_;
    StripBuffers<V> ranks_;
    RestArrays rest_;
    DeviceBuffer<V> rest_values_;
    DeviceBuffer<offset_t> row_ptrs_;  ///< of CSR, for the rest and for new values
};

Facts facts_of(index_t rows, index_t cols, offset_t nnz) {
    return {.name = "strip", .rows = rows, .cols = cols, .nnz = nnz};
}

/// By way of CSR on the GPU.
template <class V, class A>
std::unique_ptr<DeviceOperator<V>> from_csr(const Source<V>& a, const StripLimits& limits, const DeviceContext& on) {
    DeviceBuffer<offset_t> row_ptrs = row_ptrs_on_device(a, on);
    const CsrToRead<V> csr(a, on);
    const DeviceRows rows{a.rows(), row_ptrs.data(), csr.columns()};
    FoundStrips found = find_strips(rows, limits, on);
    StripPlan plan{.strips = std::move(found.strips), .bytes_to_host = found.bytes_to_host};
    add_rest(plan, rows, found.rest, limits, on);
    count_bytes_to_host(a, plan.bytes_to_host);
    auto made = std::make_unique<StripOperator<V, A>>(facts_of(a.rows(), a.cols(), a.nnz()), plan, std::move(row_ptrs),
                                                      limits, on);
    made->replace_values(csr.values(), on);
    TILESPMV_CUDA(cudaStreamSynchronize(on));
    return made;
}

/// `values` as lanes load them.
template <class V, class A>
std::unique_ptr<DeviceOperator<V>> from_strips(const StripMatrix<V>& m, const Buffer<V>& values,
                                               const StripLimits& limits, const DeviceContext& on) {
    const DeviceBuffer<offset_t> rest_ptrs(m.rest.row_ptrs, on);
    const DeviceBuffer<index_t> rest_columns(m.rest.col_idxs, on);
    const std::vector<std::uint32_t> tile_rows = tile_rows_in(m.strips.rest);
    StripPlan plan{.strips = upload(m.strips, on)};
    add_rest(plan, {m.rows, rest_ptrs.data(), rest_columns.data()}, DeviceBuffer<std::uint32_t>(tile_rows, on), limits,
             on);
    const Buffer<offset_t> row_ptrs = row_ptrs_of(m);
    auto made = std::make_unique<StripOperator<V, A>>(facts_of(m.rows, m.cols, m.nnz), plan,
                                                      DeviceBuffer<offset_t>(row_ptrs, on), limits, on);
    made->load(values, m.rest.values, rest_ptrs.data(), on);
    return made;
}

}  // namespace

/// Strips (`Strips`), strips filled by rank, and CSR for rows that would take too many bytes as either, in one launch.
/// Made from strips that are there already, as they are, unless one of the first three options is given; else from CSR,
/// or by way of it from tiles. Options: bytes (1; parts of 16,384 rows become strips if they take at most so many times
/// the bytes of 16-bit columns), lane_slots (slots of a strip before twice as many lanes share it: 11 to 512),
/// block_strips (short strips that a block takes about: 1 to 128), resident_blocks (of a multiprocessor: 12 or 18),
/// these three by `strip_sizes`, and ranks (as bytes, of strips filled by rank; 1.2, 0 below 1,000 tile rows).
template <class V>
std::unique_ptr<Operator<V>> make_strip_operator(const Source<V>& source, Options& options,
                                                 const MakeContext& context) {
    const DeviceContext& on = *context.device;
    const auto* const stored = source.find_strips();
    const StripOptions read = read_options(options, source.rows(), source.nnz(), sizeof(V));
    return with_accumulator<V>(*context.accumulator, [&]<class A>() -> std::unique_ptr<DeviceOperator<V>> {
        if (stored == nullptr || !read.takes_stored) return from_csr<V, A>(source, read.limits, on);
        constexpr int together = kQuadLoad<sizeof(V)>;
        if (stored->strips.together == together) return from_strips<V, A>(*stored, stored->values, read.limits, on);
        return from_strips<V, A>(*stored, rearranged(stored->strips, stored->values, together), read.limits, on);
    });
}

template <class V>
OperatorInfo<V> info_of_strip() {
    return on_device<V>({.name = "strip",
                         .summary = "16 rows as slots of one nonzero a row with 4-bit columns (bytes=B, lane_slots=N, "
                                    "block_strips=N, resident_blocks=12|18, ranks=B)",
                         .takes_strips = true,
                         .sweeps = "bytes=1|1000,resident_blocks=12|18,ranks=0|1000"},
                        make_strip_operator<V>);
}

#define TILESPMV_INSTANTIATE(V) template OperatorInfo<V> info_of_strip();
TILESPMV_FOR_EACH_VALUE(TILESPMV_INSTANTIATE)

}  // namespace tilespmv::cuda
