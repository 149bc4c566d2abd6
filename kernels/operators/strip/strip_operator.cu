#include "kernels/cuda/device_operator.hpp"
#include "kernels/cuda/launch.cuh"
#include "kernels/cuda/source_arrays.hpp"
#include "kernels/cuda/this_gpu.hpp"
#include "kernels/cuda/with_constant.hpp"
#include "kernels/executed.hpp"
#include "kernels/operators/csr16/csr16_buffers.cuh"
#include "kernels/operators/strip/rank_strips.hpp"
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

/// `Strips` or `RankStrips` in device memory, with room for their values. Begins its copies on a stream; the host's
/// copy must stay until the stream has passed.
template <class V>
class StripBuffers {
public:
    StripBuffers(const Strips& s, const DeviceContext& on)
        : runs_(s.runs, on),
          tile_rows_(s.tile_rows, on),
          bases_(s.bases, on),
          codes_(s.codes, on),
          masks_(s.masks, on),
          values_(static_cast<std::size_t>(s.slots) * kTileSize, on),
          matrix_bytes_(s.bytes()) {}
    StripBuffers(const RankStrips& s, const DeviceContext& on)
        : runs_(s.runs, on),
          tile_rows_(s.tile_rows, on),
          bases_(s.bases, on),
          codes_(s.codes, on),
          values_(static_cast<std::size_t>(s.slots) * kTileSize, on),
          matrix_bytes_(s.bytes(sizeof(V))) {}

    [[nodiscard]] DeviceStrips<V> view() const {
        return {runs_.data(),      static_cast<std::int64_t>(runs_.size()),
                tile_rows_.data(), bases_.data(),
                codes_.data(),     masks_.data(),
                values_.data()};
    }
    [[nodiscard]] std::size_t matrix_bytes() const { return matrix_bytes_; }
    [[nodiscard]] std::size_t other_bytes() const {
        return runs_.bytes() + tile_rows_.bytes() + bases_.bytes() + codes_.bytes() + masks_.bytes() + values_.bytes() -
               matrix_bytes_;
    }
    [[nodiscard]] DeviceBuffer<V>& values() { return values_; }

private:
    DeviceBuffer<StripRun> runs_;
    DeviceBuffer<std::uint32_t> tile_rows_;
    DeviceBuffer<std::int32_t> bases_;
    DeviceBuffer<std::uint16_t> codes_;
    DeviceBuffer<std::uint8_t> masks_;
    DeviceBuffer<V> values_;
    std::size_t matrix_bytes_;
};

offset_t occupied_strips(const Buffer<StripRun>& runs) {
    offset_t strips = 0;
    for (const StripRun& run : runs) strips += run.slots > 0 ? run.strips : 0;
    return strips;
}

offset_t occupied_tile_rows_of(const std::vector<RowRange>& rest, std::span<const offset_t> row_ptrs) {
    offset_t sum = 0;
    for (const RowRange range : rest) sum += occupied_tile_rows(row_ptrs, range.first, range.end);
    return sum;
}

/// Where the nonzeros of each block of `rest`, which was made of some rows of a matrix, begin in the whole matrix.
Buffer<offset_t> sources_of(const Csr16& rest, std::span<const offset_t> of_some, std::span<const offset_t> of_all) {
    Buffer<offset_t> sources(rest.blocks.size());
    for (std::size_t i = 0; i < sources.size(); ++i) {
        const std::uint32_t row = rest.blocks[i].first_row;
        sources[i] = rest.sources[i] - of_some[row] + of_all[row];
    }
    return sources;
}

/// All but values and strips that there are: strips filled by rank, and CSR with 16-bit columns for what is left.
struct RestOfStrips {
    RankStrips ranks;
    Csr16 csr16;

    template <class V>
    static RestOfStrips of(const CsrMatrix<V>& a, const std::vector<RowRange>& rows, offset_t nonzeros,
                           const StripLimits& limits) {
        RestOfStrips rest{make_rank_strips(a, rows, limits), {}};
        rest.csr16 = make_csr16(a, rest.ranks.rest, csr16_limits(nonzeros, this_gpu(sizeof(V))));
        return rest;
    }
};

template <class V, class A>
class StripOperator final : public DeviceOperator<V> {
public:
    StripOperator(const Source<V>& a, const StripLimits& limits, const DeviceContext& on)
        : StripOperator(a, make_strips(a.pattern(), limits), limits, on) {}
    /// `values` as lanes load them.
    StripOperator(const StripMatrix<V>& m, const Buffer<V>& values, const StripLimits& limits, const DeviceContext& on)
        : StripOperator(m, values, RestOfStrips::of(m.rest, m.strips.rest, m.nnz, limits), limits, on) {}

private:
    StripOperator(const StripMatrix<V>& m, const Buffer<V>& values, const RestOfStrips& rest, const StripLimits& limits,
                  const DeviceContext& on)
        : StripOperator(m.rows, m.cols, m.nnz, m.strips, row_ptrs_of(m), rest, m.rest.row_ptrs, limits, on) {
        strips_.values().upload({values.data(), values.size()}, on);
        const DeviceBuffer<V> values_of_rest(m.rest.values, on);
        const DeviceBuffer<offset_t> row_ptrs_of_rest(m.rest.row_ptrs, on);
        const DeviceBuffer<offset_t> sources(rest.csr16.sources, on);
        StripFill<V> p = fill_of(values_of_rest.data());
        p.row_ptrs = row_ptrs_of_rest.data();
        p.sources = sources.data();
        p.strips = {};  // theirs are there
        fill(p, on);
        TILESPMV_CUDA(cudaStreamSynchronize(on));
    }
    StripOperator(const Source<V>& a, const Strips& s, const StripLimits& limits, const DeviceContext& on)
        : StripOperator(a.rows(), a.cols(), a.nnz(), s, a.row_ptrs(),
                        RestOfStrips::of(a.pattern(), s.rest, a.nnz(), limits), a.row_ptrs(), limits, on) {
        const DeviceBuffer<V> csr_values = values_on_device(a, on);
        replace_values(csr_values.data(), on);
        TILESPMV_CUDA(cudaStreamSynchronize(on));
    }
    /// Without values. `row_ptrs`: of the whole matrix; `of_rest`: of the one that `rest` was made of.
    StripOperator(index_t rows, index_t cols, offset_t nnz, const Strips& s, const Buffer<offset_t>& row_ptrs,
                  const RestOfStrips& rest, const Buffer<offset_t>& of_rest, const StripLimits& limits,
                  const DeviceContext& on)
        : DeviceOperator<V>({.name = "strip", .rows = rows, .cols = cols, .nnz = nnz}),
          resident_blocks_(rest.ranks.nonzeros > s.nonzeros ? limits.rank_blocks : limits.resident_blocks),
          strips_(s, on),
          ranks_(rest.ranks, on),
          rest_(rest.csr16, DeviceBuffer<V>(static_cast<std::size_t>(rest.csr16.nonzeros), on), this->layout(), on),
          row_ptrs_(row_ptrs, on) {
        const Buffer<offset_t> sources = sources_of(rest.csr16, of_rest, row_ptrs);
        sources_ = DeviceBuffer<offset_t>(sources, on);
        ExecutedParts parts;
        parts.add({{"strip", "", occupied_strips(s.runs), s.nonzeros, strips_.matrix_bytes()},
                   {"rank-strip", "", occupied_strips(rest.ranks.runs), rest.ranks.nonzeros, ranks_.matrix_bytes()},
                   {"csr16", "", occupied_tile_rows_of(rest.ranks.rest, row_ptrs), rest.csr16.nonzeros,
                    rest_.matrix_bytes()}},
                  0);
        this->set_parts(
            strips_.matrix_bytes() + ranks_.matrix_bytes() + rest_.matrix_bytes(),
            strips_.other_bytes() + ranks_.other_bytes() + rest_.other_bytes() + row_ptrs_.bytes() + sources_.bytes(),
            parts.finish());
        TILESPMV_CUDA(cudaStreamSynchronize(on));  // the host's copies go away
    }

    void multiply(const Product<V>& product, cudaStream_t stream) const override {
        StripAndRestSpmv<V, A> p;
        static_cast<ProductTerms<V, A>&>(p) = terms_of<A>(product, this->rows(), this->cols());
        p.strips = strips_.view();
        p.ranks = ranks_.view();
        p.rest = rest_.view(product.workspace);
        if (p.strips.run_count + p.ranks.run_count == 0) {
            launch_dependent(csr16_spmv<V, A, SharedCsr16Kernel>, p.rest.block_count, kStripThreads,
                             Csr16Spmv<V, A>{p, p.rest}, stream);
        } else {
            with_constant<kFewStripBlocks, kManyStripBlocks>(resident_blocks_,
                                                             [&]<int kBlocks>() { launch_strips<kBlocks>(p, stream); });
        }
    }
    template <int kBlocks>
    static void launch_strips(const StripAndRestSpmv<V, A>& p, cudaStream_t stream) {
        const std::int64_t blocks = p.strips.run_count + p.ranks.run_count + p.rest.block_count;
        if (p.rest.block_count > 0) {
            launch_dependent(strip_and_rest_spmv<V, A, kBlocks>, blocks, kStripThreads, p, stream);
        } else {
            launch_dependent(strip_spmv<V, A, kBlocks>, blocks, kStripThreads, StripSpmv<V, A>(p), stream);
        }
    }

    void replace_values(const V* csr_values, cudaStream_t stream) override { fill(fill_of(csr_values), stream); }

    /// `csr_values` in the order of the whole matrix.
    [[nodiscard]] StripFill<V> fill_of(const V* csr_values) {
        return {.csr_values = csr_values,
                .row_ptrs = row_ptrs_.data(),
                .rows = this->rows(),
                .strips = strips_.view(),
                .values = strips_.values().data(),
                .ranks = ranks_.view(),
                .rank_values = ranks_.values().data(),
                .rest = rest_.view(nullptr).blocks,
                .rest_blocks = rest_.view(nullptr).block_count,
                .sources = sources_.data(),
                .rest_values = rest_.values().data()};
    }
    static void fill(const StripFill<V>& p, cudaStream_t stream) {
        launch(fill_strips<V>, p.strips.run_count + p.ranks.run_count + p.rest_blocks, kStripThreads, p, stream);
    }

    int resident_blocks_;  ///< of a multiprocessor
    StripBuffers<V> strips_;
    StripBuffers<V> ranks_;
    Csr16Buffers<V, A> rest_;
    DeviceBuffer<offset_t> row_ptrs_;  ///< of CSR, for new values
    DeviceBuffer<offset_t> sources_;   ///< for new values of the rest
};

}  // namespace

/// Strips (`Strips`), strips filled by rank (`RankStrips`), and CSR with 16-bit columns, each for the rows that take
/// fewest bytes so, in one launch. Made from strips that are there already, as they are, unless one of the first three
/// options is given; else from CSR, or by way of it from tiles. Options: bytes (1; parts of 16,384 rows become strips
/// if they take at most so many times the bytes of 16-bit columns), lane_slots (slots of a strip before twice as many
/// lanes share it: 11 to 512), block_strips (short strips that a block takes about: 1 to 128), resident_blocks (of a
/// multiprocessor: 12 or 18), these three by `strip_sizes`, and ranks (as bytes, of strips filled by rank; 1.2, 0
/// below 1,000 tile rows).
template <class V>
std::unique_ptr<Operator<V>> make_strip_operator(const Source<V>& source, Options& options,
                                                 const MakeContext& context) {
    const DeviceContext& on = *context.device;
    const auto* const stored = source.find_strips();
    const StripOptions read = read_options(options, source.rows(), source.nnz(), sizeof(V));
    return with_accumulator<V>(*context.accumulator, [&]<class A>() -> std::unique_ptr<DeviceOperator<V>> {
        if (stored == nullptr || !read.takes_stored)
            return std::make_unique<StripOperator<V, A>>(source, read.limits, on);
        constexpr int together = kQuadLoad<sizeof(V)>;
        if (stored->strips.together == together)
            return std::make_unique<StripOperator<V, A>>(*stored, stored->values, read.limits, on);
        return std::make_unique<StripOperator<V, A>>(*stored, rearranged(stored->strips, stored->values, together),
                                                     read.limits, on);
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
