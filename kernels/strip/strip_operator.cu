#include "kernels/strip/strip_operator.hpp"

#include <optional>

#include "kernels/accumulator.hpp"
#include "kernels/csr16/csr16_buffers.cuh"
#include "kernels/csr_form.hpp"
#include "kernels/cuda/csr_positions.hpp"
#include "kernels/cuda/device_value_map.cuh"
#include "kernels/cuda/launch.cuh"
#include "kernels/cuda/this_gpu.hpp"
#include "kernels/strip/strip_kernel.cuh"
#include "selector/work_sizes.hpp"

namespace tilespmv::cuda {
namespace {

struct StripOptions {
    StripLimits limits;
    bool updatable;
    bool takes_stored;  ///< strips that are there will do, however they are divided into runs
};

StripOptions read_options(Options& options, index_t rows, int value_bytes) {
    const StripSizes sizes = strip_sizes(div_up(offset_t{rows}, offset_t{kTileSize}), this_gpu(value_bytes));
    StripLimits limits{.value_bytes = value_bytes,
                       .max_slots = sizes.max_slots,
                       .lane_slots = sizes.lane_slots,
                       .block_strips = sizes.block_strips};
    const bool asks = options.has("bytes") || options.has("lane_slots") || options.has("block_strips");
    limits.most_bytes = options.number("bytes", limits.most_bytes, 0, 1e9);
    limits.lane_slots = static_cast<int>(options.whole("lane_slots", limits.lane_slots, kShortStrip, 512));
    limits.block_strips = static_cast<int>(options.whole("block_strips", limits.block_strips, 1, 128));
    const bool updatable = options.flag("updatable", false);
    options.finish();
    return {limits, updatable, !asks && !updatable};
}

/// `Strips` in device memory. Begins its copies on a stream; the host's copy must stay until the stream has passed.
template <class V>
class StripBuffers {
public:
    StripBuffers(const Strips& s, DeviceBuffer<V> values, const DeviceContext& on)
        : runs_(s.runs, on),
          tile_rows_(s.tile_rows, on),
          bases_(s.bases, on),
          codes_(s.codes, on),
          masks_(s.masks, on),
          values_(std::move(values)),
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

/// Values of strips, as lanes load them, and of the rest.
template <class V>
struct StripValues {
    DeviceBuffer<V> strips;
    DeviceBuffer<V> rest;
};

/// Without any: the map for new values puts them there.
template <class V>
StripValues<V> places_for_values(const Strips& s, const Csr16& rest, const DeviceContext& on) {
    return {{static_cast<std::size_t>(s.slots) * kTileSize, on}, {static_cast<std::size_t>(rest.nonzeros), on}};
}

/// Returns when the copies are complete. `rows_of_rest`: CSR with the nonzeros of the rest.
template <class V>
StripValues<V> uploaded(const Buffer<V>& in_strips, const CsrMatrix<V>& rows_of_rest, const Csr16& rest,
                        const DeviceContext& on) {
    const Buffer<V> of_rest = in_csr16(rest, rows_of_rest.values);
    StripValues<V> values{{in_strips, on}, {of_rest, on}};
    TILESPMV_CUDA(cudaStreamSynchronize(on));
    return values;
}

template <class V, class A>
class StripOperator final : public DeviceOperator<V> {
public:
    StripOperator(const CsrMatrix<V>& a, const StripOptions& options, const DeviceContext& on)
        : StripOperator(a, make_strips(a, options.limits), options.updatable, on) {}
    /// With its values as lanes load them.
    StripOperator(const StripMatrix<V>& m, const Buffer<V>& values, const DeviceContext& on)
        : StripOperator(m, values, csr16_of(m.rest, m.strips, m.nnz), on) {}

    [[nodiscard]] std::string_view name() const override { return "strip"; }
    [[nodiscard]] index_t rows() const override { return rows_; }
    [[nodiscard]] index_t cols() const override { return cols_; }
    [[nodiscard]] offset_t nnz() const override { return nnz_; }
    [[nodiscard]] std::size_t matrix_bytes() const override { return strips_.matrix_bytes() + rest_.matrix_bytes(); }
    [[nodiscard]] std::size_t device_bytes() const override {
        return strips_.device_bytes() + rest_.matrix_bytes() + rest_.other_bytes() + this->workspace_bytes() +
               (map_ ? map_->bytes() : 0);
    }
    [[nodiscard]] std::vector<ExecutedPart> executed() const override { return executed_; }

private:
    StripOperator(const StripMatrix<V>& m, const Buffer<V>& values, const Csr16& rest, const DeviceContext& on)
        : StripOperator(m.rows, m.cols, m.nnz, m.rest.row_ptrs, m.strips, rest, uploaded(values, m.rest, rest, on),
                        on) {}
    StripOperator(const CsrMatrix<V>& a, const Strips& s, bool updatable, const DeviceContext& on)
        : StripOperator(a, s, csr16_of(a, s, a.nnz()), updatable, on) {}
    StripOperator(const CsrMatrix<V>& a, const Strips& s, const Csr16& rest, bool updatable, const DeviceContext& on)
        : StripOperator(
              a.rows, a.cols, a.nnz(), a.row_ptrs, s, rest,
              updatable ? places_for_values<V>(s, rest, on) : uploaded(in_strips(s, a.row_ptrs, a.values), a, rest, on),
              on) {
        if (!updatable) return;
        with_positions(nnz_, [&]<class P>() {
            const Buffer<P> in_order = csr_positions<P>(nnz_);
            std::vector<Buffer<P>> positions;
            positions.push_back(in_strips(s, a.row_ptrs, in_order));
            positions.push_back(in_csr16(rest, in_order));
            map_.emplace(positions, on);
        });
        map_->fill(a.values, {&strips_.values(), &rest_.values()}, on);
    }
    /// `row_ptrs`: of the rows of the rest at least.
    StripOperator(index_t rows, index_t cols, offset_t nnz, std::span<const offset_t> row_ptrs, const Strips& s,
                  const Csr16& rest, StripValues<V> values, const DeviceContext& on)
        : rows_(rows),
          cols_(cols),
          nnz_(nnz),
          strips_(s, std::move(values.strips), on),
          rest_(rest, std::move(values.rest), this->layout(), on) {
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
        } else if (rest.block_count == 0) {
            launch_dependent(strip_spmv<V, A>, p.strips.run_count, kStripThreads, p, stream);
        } else {
            launch_dependent(strip_and_rest_spmv<V, A>, p.strips.run_count + rest.block_count, kStripThreads,
                             StripAndRestSpmv<V, A>{p, rest}, stream);
        }
    }

    void replace_values(const V* csr_values, cudaStream_t stream) override {
        if (!map_) throw Error("operator strip keeps no map for new values; make it with strip:updatable=1");
        map_->update(csr_values, {&strips_.values(), &rest_.values()}, stream);
    }

    index_t rows_;
    index_t cols_;
    offset_t nnz_;
    StripBuffers<V> strips_;
    Csr16Buffers<V, A> rest_;
    std::vector<ExecutedPart> executed_;
    std::optional<DeviceValueMap<V>> map_;
};

}  // namespace

template <class V>
std::unique_ptr<DeviceOperator<V>> make_strip_operator(const MatrixForms<V>& forms, Options& options,
                                                       Accumulator accumulator, const DeviceContext& on) {
    const auto* const stored = forms.template find<StripMatrix<V>>();
    const auto* const csr = forms.template find<CsrMatrix<V>>();
    const index_t rows = stored != nullptr ? stored->rows : csr != nullptr ? csr->rows : forms.tiles().rows;
    const StripOptions read = read_options(options, rows, sizeof(V));
    return with_accumulator<V>(accumulator, [&]<class A>() -> std::unique_ptr<DeviceOperator<V>> {
        if (stored == nullptr || !read.takes_stored)
            return std::make_unique<StripOperator<V, A>>(CsrForm<V>(forms).get(), read, on);
        constexpr int together = kQuadLoad<sizeof(V)>;
        if (stored->strips.together == together)
            return std::make_unique<StripOperator<V, A>>(*stored, stored->values, on);
        return std::make_unique<StripOperator<V, A>>(*stored, rearranged(stored->strips, stored->values, together), on);
    });
}

#define TILESPMV_INSTANTIATE(V)                                                                                   \
    template std::unique_ptr<DeviceOperator<V>> make_strip_operator(const MatrixForms<V>&, Options&, Accumulator, \
                                                                    const DeviceContext&);
TILESPMV_FOR_EACH_VALUE(TILESPMV_INSTANTIATE)

}  // namespace tilespmv::cuda
