#include "kernels/ell/ell_operator.hpp"

#include <optional>

#include "kernels/accumulator.hpp"
#include "kernels/cuda/csr_positions.hpp"
#include "kernels/cuda/device_value_map.cuh"
#include "kernels/cuda/launch.cuh"
#include "kernels/cuda/product.cuh"
#include "kernels/ell/ell_kernel.cuh"

namespace tilespmv::cuda {
namespace {

template <class V, class A>
struct EllSpmv : ProductTerms<V, A> {
    EllView<V> a;
};

template <class V, class A>
__global__ void __launch_bounds__(kEllThreads) ell_spmv(const __grid_constant__ EllSpmv<V, A> p) {
    const std::int64_t row = std::int64_t{blockIdx.x} * kEllThreads + threadIdx.x;
    if (row < p.rows) p.write(row, ell_row_sum<A>(p.a, row, p.x, p.cache_policy));
}

template <class V, class A>
class EllOperator final : public DeviceOperator<V> {
public:
    /// Values are uploaded as they lie in `ell`.
    EllOperator(const CsrMatrix<V>& a, const Ell<V>& ell, const DeviceContext& on)
        : EllOperator(a, ell, DeviceBuffer<V>(ell.values, on), on) {
        TILESPMV_CUDA(cudaStreamSynchronize(on));  // the host's copies go away
    }
    /// Values are put into their places on the GPU, and can be again.
    template <class P>
    EllOperator(const CsrMatrix<V>& a, Ell<P> positions, const DeviceContext& on)
        : EllOperator(a, positions, DeviceBuffer<V>(positions.values.size(), on), on) {
        std::vector<Buffer<P>> arrays;
        arrays.push_back(std::move(positions.values));
        map_.emplace(arrays, on);
        map_->fill(a.values, {&values_}, on);
    }

    [[nodiscard]] std::string_view name() const override { return "ell"; }
    [[nodiscard]] index_t rows() const override { return rows_; }
    [[nodiscard]] index_t cols() const override { return cols_; }
    [[nodiscard]] offset_t nnz() const override { return nnz_; }
    [[nodiscard]] std::size_t matrix_bytes() const override { return columns_.bytes() + values_.bytes(); }
    [[nodiscard]] std::size_t device_bytes() const override {
        return matrix_bytes() + this->workspace_bytes() + (map_ ? map_->bytes() : 0);
    }
    [[nodiscard]] std::vector<ExecutedPart> executed() const override {
        return executed_whole("ell", tile_rows_, nnz_, matrix_bytes());
    }

    void multiply(const Product<V>& product, cudaStream_t stream) const override {
        const EllSpmv<V, A> p{terms_of<A>(product, rows_, cols_), {columns_.data(), values_.data(), rows_, width_}};
        launch_dependent(ell_spmv<V, A>, div_up(std::int64_t{rows_}, std::int64_t{kEllThreads}), kEllThreads, p,
                         stream);
    }

    void replace_values(const V* csr_values, cudaStream_t stream) override {
        if (!map_) throw Error("operator ell keeps no map for new values; make it with ell:updatable=1");
        map_->update(csr_values, {&values_}, stream);
    }

private:
    template <class T>
    EllOperator(const CsrMatrix<V>& a, const Ell<T>& ell, DeviceBuffer<V> values, const DeviceContext& on)
        : rows_(a.rows),
          cols_(a.cols),
          nnz_(a.nnz()),
          tile_rows_(occupied_tile_rows(a.row_ptrs, 0, a.rows)),
          width_(ell.width),
          columns_(ell.columns, on),
          values_(std::move(values)) {}

    index_t rows_;
    index_t cols_;
    offset_t nnz_;
    offset_t tile_rows_;
    offset_t width_;
    DeviceBuffer<index_t> columns_;
    DeviceBuffer<V> values_;
    std::optional<DeviceValueMap<V>> map_;
};

}  // namespace

template <class V>
std::unique_ptr<DeviceOperator<V>> make_ell_operator(const MatrixForms<V>& forms, Options& options,
                                                     Accumulator accumulator, const DeviceContext& on) {
    const bool updatable = options.flag("updatable", false);
    options.finish();
    return with_accumulator<V>(accumulator, [&]<class A>() -> std::unique_ptr<DeviceOperator<V>> {
        const CsrMatrix<V>& a = forms.csr();
        if (!updatable) return std::make_unique<EllOperator<V, A>>(a, make_ell(a, a.values), on);
        return with_positions(a.nnz(), [&]<class P>() -> std::unique_ptr<DeviceOperator<V>> {
            return std::make_unique<EllOperator<V, A>>(a, make_ell(a, csr_positions<P>(a.nnz())), on);
        });
    });
}

#define TILESPMV_INSTANTIATE(V)                                                                                 \
    template std::unique_ptr<DeviceOperator<V>> make_ell_operator(const MatrixForms<V>&, Options&, Accumulator, \
                                                                  const DeviceContext&);
TILESPMV_FOR_EACH_VALUE(TILESPMV_INSTANTIATE)

}  // namespace tilespmv::cuda
