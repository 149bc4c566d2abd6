#include "kernels/cuda/device_operator.hpp"
#include "kernels/cuda/launch.cuh"
#include "kernels/cuda/product.cuh"
#include "kernels/operators/ell/ell_buffers.cuh"

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
    /// Columns and values go into their places on the GPU.
    EllOperator(const Source<V>& a, offset_t width, const DeviceContext& on)
        : DeviceOperator<V>({.name = "ell", .rows = a.rows(), .cols = a.cols(), .nnz = a.nnz()}),
          places_(a, width, on) {
        this->set_parts(places_.matrix_bytes(), places_.other_bytes(),
                        executed_whole("ell", tile_rows_of(a), a.nnz(), places_.matrix_bytes()));
    }

    void multiply(const Product<V>& product, cudaStream_t stream) const override {
        const EllSpmv<V, A> p{terms_of<A>(product, this->rows(), this->cols()), places_.view()};
        launch_dependent(ell_spmv<V, A>, div_up(std::int64_t{this->rows()}, std::int64_t{kEllThreads}), kEllThreads, p,
                         stream);
    }

    void replace_values(const V* csr_values, cudaStream_t stream) override { places_.fill(csr_values, stream); }

protected:
    bool write_csr(const CsrToWrite<V>& to, cudaStream_t stream) const override {
        places_.write_csr(to, stream);
        return true;
    }

private:
    EllBuffers<V> places_;
};

}  // namespace

/// A thread a row of `Ell`. Throws `Error` for a matrix of which ELL would be many times as large as CSR.
template <class V>
std::unique_ptr<Operator<V>> make_ell_operator(const Source<V>& source, Options& options, const MakeContext& context) {
    const DeviceContext& on = *context.device;
    options.finish();
    return with_accumulator<V>(*context.accumulator, [&]<class A>() -> std::unique_ptr<DeviceOperator<V>> {
        const offset_t width = source.row_statistics().longest;
        refuse_ell_if_large(csr_sizes(source), width);
        return std::make_unique<EllOperator<V, A>>(source, width, on);
    });
}

template <class V>
OperatorInfo<V> info_of_ell() {
    return on_device<V>({.name = "ell", .summary = "ELL, a thread a row, for even rows", .only_if_named = true},
                        make_ell_operator<V>);
}

#define TILESPMV_INSTANTIATE(V) template OperatorInfo<V> info_of_ell();
TILESPMV_FOR_EACH_VALUE(TILESPMV_INSTANTIATE)

}  // namespace tilespmv::cuda
