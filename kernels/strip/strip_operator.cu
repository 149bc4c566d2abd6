#include "kernels/strip/strip_operator.hpp"

#include "kernels/accumulator.hpp"
#include "kernels/csr16/csr16_buffers.cuh"
#include "kernels/csr_form.hpp"
#include "kernels/cuda/launch.cuh"
#include "kernels/cuda/this_gpu.hpp"
#include "kernels/cuda/with_constant.hpp"
#include "kernels/strip/strip_fill.cuh"
#include "selector/work_sizes.hpp"

namespace tilespmv::cuda {
namespace {

struct StripOptions {
    StripLimits limits;
    bool takes_stored;  ///< strips that are there will do, however they are divided into runs
};

StripOptions read_options(Options& options, index_t rows, offset_t nonzeros, int value_bytes) {
    const StripSizes sizes = strip_sizes(rows, nonzeros, this_gpu(value_bytes));
    StripLimits limits{.value_bytes = value_bytes,
                       .max_slots = sizes.max_slots,
                       .lane_slots = sizes.lane_slots,
                       .block_strips = sizes.block_strips,
                       .resident_blocks = sizes.blocks};
    const bool asks = options.has("bytes") || options.has("lane_slots") || options.has("block_strips");
    limits.most_bytes = options.number("bytes", limits.most_bytes, 0, 1e9);
    limits.lane_slots = static_cast<int>(options.whole("lane_slots", limits.lane_slots, kShortStrip, 512));
    limits.block_strips = static_cast<int>(options.whole("block_strips", limits.block_strips, 1, 128));
    limits.resident_blocks =
        options.one_of("resident_blocks", limits.resident_blocks, {kFewStripBlocks, kManyStripBlocks});
    options.finish();
    return {limits, !asks};
}

/// `Strips` in device memory, with room for their values. Begins its copies on a stream; the host's copy must stay
/// until the stream has passed.
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

    [[nodiscard]] DeviceStrips<V> view() const {
        return {runs_.data(),      static_cast<std::int64_t>(runs_.size()),
                tile_rows_.data(), bases_.data(),
                codes_.data(),     masks_.data(),
                values_.data()};
    }
    [[nodiscard]] std::size_t matrix_bytes() const { return matrix_bytes_; }
    [[nodiscard]] std::size_t device_bytes() const {
        return runs_.bytes() + tile_rows_.bytes() + bases_.bytes() + codes_.bytes() + masks_.bytes() + values_.bytes();
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

offset_t occupied_strips(const Strips& s) {
    offset_t strips = 0;
    for (const StripRun& run : s.runs) strips += run.slots > 0 ? run.strips : 0;
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

template <class V, class A>
class StripOperator final : public DeviceOperator<V> {
public:
    StripOperator(const CsrMatrix<V>& a, const StripLimits& limits, const DeviceContext& on)
        : StripOperator(a, make_strips(a, limits), limits.resident_blocks, on) {}
    /// `values` as lanes load them.
    StripOperator(const StripMatrix<V>& m, const Buffer<V>& values, int resident_blocks, const DeviceContext& on)
        : StripOperator(m, values, csr16_of(m.rest, m.strips, m.nnz), resident_blocks, on) {}

    [[nodiscard]] std::string_view name() const override { return "strip"; }
    [[nodiscard]] index_t rows() const override { return rows_; }
    [[nodiscard]] index_t cols() const override { return cols_; }
    [[nodiscard]] offset_t nnz() const override { return nnz_; }
    [[nodiscard]] std::size_t matrix_bytes() const override { return strips_.matrix_bytes() + rest_.matrix_bytes(); }
    [[nodiscard]] std::size_t device_bytes() const override {
        return strips_.device_bytes() + rest_.matrix_bytes() + rest_.other_bytes() + row_ptrs_.bytes() +
               sources_.bytes() + this->workspace_bytes();
    }
    [[nodiscard]] std::vector<ExecutedPart> executed() const override { return executed_; }

private:
    StripOperator(const StripMatrix<V>& m, const Buffer<V>& values, const Csr16& rest, int resident_blocks,
                  const DeviceContext& on)
        : StripOperator(m.rows, m.cols, m.nnz, m.strips, row_ptrs_of(m), rest, m.rest.row_ptrs, resident_blocks, on) {
        const Buffer<V> of_rest = in_csr16(rest, m.rest.values);
        strips_.values().upload({values.data(), values.size()}, on);
        rest_.values().upload({of_rest.data(), of_rest.size()}, on);
        TILESPMV_CUDA(cudaStreamSynchronize(on));
    }
    /// Values go into their places on the GPU.
    StripOperator(const CsrMatrix<V>& a, const Strips& s, int resident_blocks, const DeviceContext& on)
        : StripOperator(a.rows, a.cols, a.nnz(), s, a.row_ptrs, csr16_of(a, s, a.nnz()), a.row_ptrs, resident_blocks,
                        on) {
        const DeviceBuffer<V> csr_values(a.values, on);
        replace_values(csr_values.data(), on);
        TILESPMV_CUDA(cudaStreamSynchronize(on));
    }
    /// Without values. `row_ptrs`: of the whole matrix; `of_rest`: of the one that `rest` was made of.
    StripOperator(index_t rows, index_t cols, offset_t nnz, const Strips& s, const Buffer<offset_t>& row_ptrs,
                  const Csr16& rest, const Buffer<offset_t>& of_rest, int resident_blocks, const DeviceContext& on)
        : rows_(rows),
          cols_(cols),
          nnz_(nnz),
          resident_blocks_(resident_blocks),
          strips_(s, on),
          rest_(rest, DeviceBuffer<V>(static_cast<std::size_t>(rest.nonzeros), on), this->layout(), on),
          row_ptrs_(row_ptrs, on) {
        const Buffer<offset_t> sources = sources_of(rest, of_rest, row_ptrs);
        sources_ = DeviceBuffer<offset_t>(sources, on);
        ExecutedParts parts;
        parts.add({{"strip", "", occupied_strips(s), s.nonzeros, strips_.matrix_bytes()},
                   {"csr16", "", occupied_tile_rows_of(s.rest, row_ptrs), rest.nonzeros, rest_.matrix_bytes()}},
                  0);
        executed_ = parts.finish();
        TILESPMV_CUDA(cudaStreamSynchronize(on));  // the host's copies go away
    }

    static Csr16 csr16_of(const CsrMatrix<V>& a, const Strips& s, offset_t nnz) {
        return make_csr16(a, s.rest, csr16_limits(nnz, this_gpu(sizeof(V))));
    }

    void multiply(const Product<V>& product, cudaStream_t stream) const override {
        const StripSpmv<V, A> p{terms_of<A>(product, rows_, cols_), strips_.view()};
        const DeviceCsr16<V, A> rest = rest_.view(product.workspace);
        if (p.strips.run_count == 0) {
            launch_dependent(csr16_spmv<V, A, SharedCsr16Kernel>, rest.block_count, kStripThreads,
                             Csr16Spmv<V, A>{p, rest}, stream);
        } else {
            with_constant<kFewStripBlocks, kManyStripBlocks>(
                resident_blocks_, [&]<int kBlocks>() { launch_strips<kBlocks>(p, rest, stream); });
        }
    }
    template <int kBlocks>
    static void launch_strips(const StripSpmv<V, A>& p, const DeviceCsr16<V, A>& rest, cudaStream_t stream) {
        if (rest.block_count == 0) {
            launch_dependent(strip_spmv<V, A, kBlocks>, p.strips.run_count, kStripThreads, p, stream);
        } else {
            launch_dependent(strip_and_rest_spmv<V, A, kBlocks>, p.strips.run_count + rest.block_count, kStripThreads,
                             StripAndRestSpmv<V, A>{p, rest}, stream);
        }
    }

    void replace_values(const V* csr_values, cudaStream_t stream) override {
        const DeviceCsr16<V, A> rest = rest_.view(nullptr);
        const StripFill<V> p{csr_values,      row_ptrs_.data(),        rows_,
                             strips_.view(),  strips_.values().data(), rest.blocks,
                             sources_.data(), rest_.values().data()};
        launch(fill_strips<V>, p.strips.run_count + rest.block_count, kStripThreads, p, stream);
    }

    index_t rows_;
    index_t cols_;
    offset_t nnz_;
    int resident_blocks_;  ///< of a multiprocessor
    StripBuffers<V> strips_;
    Csr16Buffers<V, A> rest_;
    std::vector<ExecutedPart> executed_;
    DeviceBuffer<offset_t> row_ptrs_;  ///< of CSR, for new values
    DeviceBuffer<offset_t> sources_;   ///< for new values of the rest
};

}  // namespace

template <class V>
std::unique_ptr<DeviceOperator<V>> make_strip_operator(const MatrixForms<V>& forms, Options& options,
                                                       Accumulator accumulator, const DeviceContext& on) {
    const auto* const stored = forms.template find<StripMatrix<V>>();
    const auto* const csr = forms.template find<CsrMatrix<V>>();
    const auto read_for = [&](index_t rows, offset_t nonzeros) {
        return read_options(options, rows, nonzeros, sizeof(V));
    };
    const StripOptions read = stored != nullptr ? read_for(stored->rows, stored->nnz)
                              : csr != nullptr  ? read_for(csr->rows, csr->nnz())
                                                : read_for(forms.tiles().rows, forms.tiles().nnz);
    return with_accumulator<V>(accumulator, [&]<class A>() -> std::unique_ptr<DeviceOperator<V>> {
        if (stored == nullptr || !read.takes_stored)
            return std::make_unique<StripOperator<V, A>>(CsrForm<V>(forms).get(), read.limits, on);
        constexpr int together = kQuadLoad<sizeof(V)>;
        const int blocks = read.limits.resident_blocks;
        if (stored->strips.together == together)
            return std::make_unique<StripOperator<V, A>>(*stored, stored->values, blocks, on);
        return std::make_unique<StripOperator<V, A>>(*stored, rearranged(stored->strips, stored->values, together),
                                                     blocks, on);
    });
}

#define TILESPMV_INSTANTIATE(V)                                                                                   \
    template std::unique_ptr<DeviceOperator<V>> make_strip_operator(const MatrixForms<V>&, Options&, Accumulator, \
                                                                    const DeviceContext&);
TILESPMV_FOR_EACH_VALUE(TILESPMV_INSTANTIATE)

}  // namespace tilespmv::cuda
