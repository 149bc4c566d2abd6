#include "kernels/cuda/device_operator.hpp"
#include "kernels/published/csr5/csr5_buffers.cuh"
#include "selector/csr_shapes.hpp"

namespace tilespmv::cuda {
namespace {

template <class V, class A>
class Csr5Operator final : public DeviceOperator<V> {
public:
    Csr5Operator(const CsrMatrix<V>& a, int sigma, const DeviceContext& on)
        : DeviceOperator<V>({.name = "csr5", .rows = a.rows, .cols = a.cols, .nnz = a.nnz()}),
          matrix_(a, sigma, this->layout(), on) {
        this->set_parts(
            matrix_.matrix_bytes(), 0,
            executed_whole("csr5", occupied_tile_rows(a.row_ptrs, 0, a.rows), a.nnz(), matrix_.matrix_bytes()));
    }

    void replace_values(const V* csr_values, cudaStream_t stream) override {
        matrix_.update_values(csr_values, stream);
    }

private:
    void multiply(const Product<V>& product, cudaStream_t stream) const override {
        matrix_.multiply({terms_of<A>(product, this->rows(), this->cols())}, product.workspace, stream);
    }

    Csr5Buffers<V, A> matrix_;
};

}  // namespace

/// CSR5 (`Csr5`), made from CSR alone. Split rows are added up in the order of the tiles. Option: sigma (4, 8 or 16
/// nonzeros of a lane; default `csr5_sigma`).
template <class V>
std::unique_ptr<Operator<V>> make_csr5_operator(const Source<V>& source, Options& options, const MakeContext& context) {
    const DeviceContext& on = *context.device;
    const int chosen = options.one_of("sigma", 0, {4, 8, 16});
    options.finish();
    const int sigma = chosen > 0 ? chosen : csr5_sigma(source.csr().rows, source.csr().nnz());
    return with_accumulator<V>(*context.accumulator, [&]<class A>() -> std::unique_ptr<DeviceOperator<V>> {
        return std::make_unique<Csr5Operator<V, A>>(source.csr(), sigma, on);
    });
}

template <class V>
OperatorInfo<V> info_of_csr5() {
    return on_device<V>(
        {.name = "csr5",
         .summary =
             "CSR5, equal tiles of 32 lanes with sigma nonzeros each, summed in registers; sigma=4|8|16, otherwise "
             "chosen from nnz/rows",
         .sweeps = "sigma=4|8|16"},
        make_csr5_operator<V>);
}

#define TILESPMV_INSTANTIATE(V) template OperatorInfo<V> info_of_csr5();
TILESPMV_FOR_EACH_VALUE(TILESPMV_INSTANTIATE)

}  // namespace tilespmv::cuda
