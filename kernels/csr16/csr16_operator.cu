#include "kernels/csr16/csr16_operator.hpp"

#include "kernels/accumulator.hpp"
#include "kernels/csr16/csr16_buffers.cuh"
#include "kernels/cuda/device.hpp"
#include "kernels/cuda/launch.cuh"

namespace tilespmv::cuda {
namespace {

template <class V, class A>
class Csr16Operator final : public DeviceOperator<V> {
public:
    Csr16Operator(const CsrMatrix<V>& a, cudaStream_t stream)
        : Csr16Operator(a, make_csr16(a, csr16_limits(a.nnz(), this_gpu_size().multiprocessors)), stream) {}

    [[nodiscard]] std::string_view name() const override { return "csr16"; }
    [[nodiscard]] index_t rows() const override { return rows_; }
    [[nodiscard]] index_t cols() const override { return cols_; }
    [[nodiscard]] offset_t nnz() const override { return nnz_; }
    [[nodiscard]] std::size_t matrix_bytes() const override { return matrix_.matrix_bytes(); }
    [[nodiscard]] std::size_t device_bytes() const override { return matrix_bytes() + matrix_.workspace_bytes(); }
    [[nodiscard]] std::vector<ExecutedPart> executed() const override {
        return executed_whole("csr16", tile_rows_, nnz_, matrix_bytes());
    }

    void apply(double alpha, const V* x, double beta, V* y, cudaStream_t stream) const override {
        if (alpha == 0) return launch_scale(y, rows_, static_cast<A>(beta), stream);
        const Csr16Spmv<V, A> p{{x, y, static_cast<A>(alpha), static_cast<A>(beta), rows_, cols_}, matrix_.view()};
        launch(csr16_spmv<V, A>, p.matrix.block_count, Csr16::kThreads, p, stream);
    }

    void update_values(const V* csr_values, cudaStream_t stream) override { matrix_.update_values(csr_values, stream); }

private:
    /// `all` holds every row of `a`, so that its values are in the order of CSR.
    Csr16Operator(const CsrMatrix<V>& a, const Csr16& all, cudaStream_t stream)
        : rows_(a.rows),
          cols_(a.cols),
          nnz_(a.nnz()),
          tile_rows_(occupied_tile_rows(a.row_ptrs, 0, a.rows)),
          matrix_(all, a.values, stream) {
        TILESPMV_CUDA(cudaStreamSynchronize(stream));  // the host's copies go away
    }

    index_t rows_;
    index_t cols_;
    offset_t nnz_;
    offset_t tile_rows_;
    Csr16Buffers<V, A> matrix_;
};

}  // namespace

template <class V>
std::unique_ptr<DeviceOperator<V>> make_csr16_operator(const MatrixForms<V>& forms, Options& options,
                                                       Accumulator accumulator, cudaStream_t stream) {
    options.finish();
    return with_accumulator<V>(accumulator, [&]<class A>() -> std::unique_ptr<DeviceOperator<V>> {
        return std::make_unique<Csr16Operator<V, A>>(forms.csr(), stream);
    });
}

#define TILESPMV_INSTANTIATE(V)                                                                                   \
    template std::unique_ptr<DeviceOperator<V>> make_csr16_operator(const MatrixForms<V>&, Options&, Accumulator, \
                                                                    cudaStream_t);
TILESPMV_FOR_EACH_VALUE(TILESPMV_INSTANTIATE)

}  // namespace tilespmv::cuda
