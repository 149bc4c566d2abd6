#include "kernels/csr5/csr5_operator.hpp"

#include "kernels/accumulator.hpp"
#include "kernels/csr/csr_operator.cuh"
#include "kernels/csr5/csr5_kernel.cuh"
#include "kernels/cuda/device_buffer.hpp"
#include "kernels/cuda/launch.cuh"

namespace tilespmv::cuda {
namespace {

template <class V, class A>
class Csr5Operator final : public DeviceOperator<V> {
public:
    Csr5Operator(const CsrMatrix<V>& a, int sigma, cudaStream_t stream)
        : Csr5Operator(a, make_csr5(a.row_ptrs, a.col_idxs, sigma), stream) {}

    [[nodiscard]] std::string_view name() const override { return "csr5"; }
    [[nodiscard]] index_t rows() const override { return rows_; }
    [[nodiscard]] index_t cols() const override { return cols_; }
    [[nodiscard]] offset_t nnz() const override { return nnz_; }
    [[nodiscard]] std::size_t matrix_bytes() const override {
        return tiles_.bytes() + lanes_.bytes() + col_idxs_.bytes() + values_.bytes() + ended_rows_.bytes() +
               empty_rows_.bytes();
    }
    [[nodiscard]] std::size_t device_bytes() const override { return matrix_bytes() + partials_.bytes(); }
    [[nodiscard]] std::vector<ExecutedPart> executed() const override {
        return executed_whole("csr5", tile_rows_, nnz_, matrix_bytes());
    }

    void apply(double alpha, const V* x, double beta, V* y, cudaStream_t stream) const override {
        if (alpha == 0) return launch_scale(y, rows_, static_cast<A>(beta), stream);
        Csr5Spmv<V, A> p{{x, y, static_cast<A>(alpha), static_cast<A>(beta), rows_, cols_}};
        p.tiles = tiles_.data();
        p.tile_count = static_cast<std::int64_t>(tiles_.size());
        p.lanes = lanes_.data();
        p.matrix_cols = col_idxs_.data();
        p.values = values_.data();
        p.ended_rows = ended_rows_.data();
        p.empty_rows = empty_rows_.data();
        p.empty_count = static_cast<std::int64_t>(empty_rows_.size());
        p.partials = partials_.data();
        const std::int64_t blocks = div_up(p.tile_count, kCsr5Tiles) + div_up(p.empty_count, kCsr5Threads);
        with_constant<4, 8, 16>(
            sigma_, [&]<int kSigma>() { launch(csr5_spmv<V, A, kSigma>, blocks, kCsr5Threads, p, stream); });
    }

    void update_values(const V* csr_values, cudaStream_t stream) override {
        constexpr int threads = 256;
        const auto places = static_cast<std::int64_t>(values_.size());
        const Csr5Values<V> p{csr_values, nnz_, sigma_, values_.data(), places};
        launch(place_csr5_values<V>, div_up(places, threads), threads, p, stream);
    }

private:
    Csr5Operator(const CsrMatrix<V>& a, const Csr5& form, cudaStream_t stream)
        : Csr5Operator(a, form, in_csr5<V>(form, a.values), stream) {}
    Csr5Operator(const CsrMatrix<V>& a, const Csr5& form, const Buffer<V>& values, cudaStream_t stream)
        : rows_(a.rows),
          cols_(a.cols),
          nnz_(a.nnz()),
          tile_rows_(occupied_tile_rows(a.row_ptrs, 0, a.rows)),
          sigma_(form.sigma),
          tiles_(form.tiles, stream),
          lanes_(form.lanes, stream),
          col_idxs_(form.cols, stream),
          values_(values, stream),
          ended_rows_(form.ended_rows, stream),
          empty_rows_(form.empty_rows, stream),
          partials_(static_cast<std::size_t>(div_up(static_cast<std::int64_t>(form.tiles.size()), kCsr5Tiles))) {
        TILESPMV_CUDA(cudaMemsetAsync(partials_.data(), 0xff, partials_.bytes(), stream));  // kNoSum
        TILESPMV_CUDA(cudaStreamSynchronize(stream));                                       // the host's copies go away
    }

    index_t rows_;
    index_t cols_;
    offset_t nnz_;
    offset_t tile_rows_;
    int sigma_;
    DeviceBuffer<Csr5Tile> tiles_;
    DeviceBuffer<Csr5Lane> lanes_;
    DeviceBuffer<index_t> col_idxs_;
    DeviceBuffer<V> values_;
    DeviceBuffer<std::uint32_t> ended_rows_;
    DeviceBuffer<std::uint32_t> empty_rows_;
    DeviceBuffer<BitsOf<A>> partials_;
};

}  // namespace

template <class V>
std::unique_ptr<DeviceOperator<V>> make_csr5_operator(const MatrixForms<V>& forms, Options& options,
                                                      Accumulator accumulator, cudaStream_t stream) {
    const int chosen = options.one_of("sigma", 0, {4, 8, 16});
    options.finish();
    const int sigma = chosen > 0 ? chosen : csr5_sigma(forms.csr().rows, forms.csr().nnz());
    return with_accumulator<V>(accumulator, [&]<class A>() -> std::unique_ptr<DeviceOperator<V>> {
        return std::make_unique<Csr5Operator<V, A>>(forms.csr(), sigma, stream);
    });
}

#define TILESPMV_INSTANTIATE(V)                                                                                  \
    template std::unique_ptr<DeviceOperator<V>> make_csr5_operator(const MatrixForms<V>&, Options&, Accumulator, \
                                                                   cudaStream_t);
TILESPMV_FOR_EACH_VALUE(TILESPMV_INSTANTIATE)

}  // namespace tilespmv::cuda
