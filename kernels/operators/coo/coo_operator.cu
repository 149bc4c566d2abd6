#include "kernels/cuda/device_operator.hpp"
#include "kernels/cuda/launch.cuh"
#include "kernels/operators/coo/coo_buffers.cuh"

namespace tilespmv::cuda {
namespace {

template <class V, class A>
class CooOperator final : public DeviceOperator<V> {
public:
    CooOperator(const CsrMatrix<V>& a, const DeviceContext& on) : CooOperator(a, make_coo(a), on) {}

    void multiply(const Product<V>& product, cudaStream_t stream) const override {
        const CooSpmv<V, A> p{terms_of<A>(product, this->rows(), this->cols()), matrix_.view(product.workspace),
                              matrix_.blocks(), empty_rows_.data(), static_cast<std::int64_t>(empty_rows_.size())};
        launch_dependent(coo_spmv<V, A>, p.blocks + div_up(p.empty_count, std::int64_t{kCooThreads}), kCooThreads, p,
                         stream);
    }

    void replace_values(const V* csr_values, cudaStream_t stream) override {
        DeviceBuffer<V>& values = matrix_.values();
        TILESPMV_CUDA(cudaMemcpyAsync(values.data(), csr_values, values.bytes(), cudaMemcpyDeviceToDevice, stream));
    }

private:
    CooOperator(const CsrMatrix<V>& a, const Coo<V>& coo, const DeviceContext& on)
        : CooOperator(a, coo, blocks_back(coo.row_idxs, kCooBlock), empty_rows(a.row_ptrs), on) {}
    CooOperator(const CsrMatrix<V>& a, const Coo<V>& coo, const Buffer<std::uint32_t>& back,
                const Buffer<std::uint32_t>& empty, const DeviceContext& on)
        : DeviceOperator<V>({.name = "coo", .rows = a.rows, .cols = a.cols, .nnz = a.nnz()}),
          matrix_(coo, back, this->layout(), on),
          empty_rows_(empty, on) {
        const std::size_t bytes = matrix_.matrix_bytes() + empty_rows_.bytes();
        this->set_parts(bytes, 0, executed_whole("coo", occupied_tile_rows(a.row_ptrs, 0, a.rows), a.nnz(), bytes));
        TILESPMV_CUDA(cudaStreamSynchronize(on));  // the host's copies go away
    }

    CooBuffers<V, A> matrix_;
    DeviceBuffer<std::uint32_t> empty_rows_;
};

}  // namespace

/// `Coo`, in blocks of equally many nonzeros, whose sums of a split row are added up in the order of the blocks. Takes
/// no options, and new values without a map.
template <class V>
std::unique_ptr<Operator<V>> make_coo_operator(const Source<V>& source, Options& options, const MakeContext& context) {
    const DeviceContext& on = *context.device;
    options.finish();
    return with_accumulator<V>(*context.accumulator, [&]<class A>() -> std::unique_ptr<DeviceOperator<V>> {
        return std::make_unique<CooOperator<V, A>>(source.csr(), on);
    });
}

template <class V>
OperatorInfo<V> info_of_coo() {
    return on_device<V>(
        {.name = "coo", .summary = "COO, equal blocks of nonzeros, summed by segments in a fixed order"},
        make_coo_operator<V>);
}

#define TILESPMV_INSTANTIATE(V) template OperatorInfo<V> info_of_coo();
TILESPMV_FOR_EACH_VALUE(TILESPMV_INSTANTIATE)

}  // namespace tilespmv::cuda
