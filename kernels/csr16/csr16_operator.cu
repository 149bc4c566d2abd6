#include "kernels/csr16/csr16_operator.hpp"

#include "kernels/accumulator.hpp"
#include "kernels/csr16/csr16_buffers.cuh"
#include "kernels/cuda/launch.cuh"
#include "kernels/cuda/this_gpu.hpp"

namespace tilespmv::cuda {
namespace {

template <class V, class A>
class Csr16Operator final : public DeviceOperator<V> {
public:
    Csr16Operator(const CsrMatrix<V>& a, const Csr16Limits& limits, const DeviceContext& on)
        : Csr16Operator(a, make_csr16(a, limits), limits, on) {}

    [[nodiscard]] std::string_view name() const override { return "csr16"; }
    [[nodiscard]] index_t rows() const override { return rows_; }
    [[nodiscard]] index_t cols() const override { return cols_; }
    [[nodiscard]] offset_t nnz() const override { return nnz_; }
    [[nodiscard]] std::size_t matrix_bytes() const override { return matrix_.matrix_bytes(); }
    [[nodiscard]] std::size_t device_bytes() const override {
        return matrix_bytes() + matrix_.other_bytes() + this->workspace_bytes();
    }
    [[nodiscard]] std::vector<ExecutedPart> executed() const override {
        return executed_whole("csr16", tile_rows_, nnz_, matrix_bytes());
    }

    void multiply(const Product<V>& product, cudaStream_t stream) const override {
        const Csr16Spmv<V, A> p{terms_of<A>(product, rows_, cols_), matrix_.view(product.workspace)};
        with_row_block_kernel<Csr16::kThreads>(shape_, [&]<class Kernel>() {
            launch_dependent(csr16_spmv<V, A, Kernel>, div_up(p.matrix.block_count, std::int64_t{Kernel::kTeams}),
                             Kernel::kBlockThreads, p, stream);
        });
    }

    void replace_values(const V* csr_values, cudaStream_t stream) override {
        matrix_.update_values(csr_values, stream);
    }

private:
    /// `all` holds every row of `a`, so that its values are in the order of CSR.
    Csr16Operator(const CsrMatrix<V>& a, const Csr16& all, const Csr16Limits& limits, const DeviceContext& on)
        : rows_(a.rows),
          cols_(a.cols),
          nnz_(a.nnz()),
          tile_rows_(occupied_tile_rows(a.row_ptrs, 0, a.rows)),
          shape_(row_block_shape(limits.block_nonzeros, Csr16::kThreads, all.nonzeros, all.in_long_rows,
                                 this_tuning(sizeof(V)).row_blocks)),
          matrix_(all, DeviceBuffer<V>(a.values, on), this->layout(), on) {
        TILESPMV_CUDA(cudaStreamSynchronize(on));  // the host's copies go away
    }

    index_t rows_;
    index_t cols_;
    offset_t nnz_;
    offset_t tile_rows_;
    RowBlockShape shape_;
    Csr16Buffers<V, A> matrix_;
};

}  // namespace

template <class V>
std::unique_ptr<DeviceOperator<V>> make_csr16_operator(const MatrixForms<V>& forms, Options& options,
                                                       Accumulator accumulator, const DeviceContext& on) {
    options.finish();
    const CsrMatrix<V>& a = forms.csr();
    return with_accumulator<V>(accumulator, [&]<class A>() -> std::unique_ptr<DeviceOperator<V>> {
        return std::make_unique<Csr16Operator<V, A>>(a, csr16_limits(a.nnz(), this_gpu(sizeof(V))), on);
    });
}

#define TILESPMV_INSTANTIATE(V)                                                                                   \
    template std::unique_ptr<DeviceOperator<V>> make_csr16_operator(const MatrixForms<V>&, Options&, Accumulator, \
                                                                    const DeviceContext&);
TILESPMV_FOR_EACH_VALUE(TILESPMV_INSTANTIATE)

}  // namespace tilespmv::cuda
