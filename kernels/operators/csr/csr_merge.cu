#include "kernels/cuda/combine.hpp"
#include "kernels/cuda/launch.cuh"
#include "kernels/cuda/this_gpu.hpp"
#include "kernels/cuda/with_constant.hpp"
#include "kernels/executed.hpp"
#include "kernels/operator.hpp"
#include "kernels/operators/csr/csr_merge_kernel.cuh"
#include "kernels/operators/csr/csr_operator.cuh"
#include "kernels/operators/csr/csr_operators.hpp"
#include "selector/work_sizes.hpp"

namespace tilespmv::cuda {
namespace {

template <class V, class A, int kItems>
class CsrMerge final : public CsrOperator<V> {
public:
    CsrMerge(std::string_view name, const std::vector<ExecutedPart>& parts, const Source<V>& a, const DeviceContext& on)
        : CsrOperator<V>(name, a, on),
          blocks_(div_up(items(), kMergePieces<kItems>.items)),
          starts_(static_cast<std::size_t>(blocks_ + 1), on),
          partials_(add_awaited_sums<A>(this->layout(), blocks_)) {
        this->add_plan(starts_.bytes(), 0);
        if (!parts.empty()) {
            ExecutedParts all;
            all.add(parts, this->matrix_bytes());
            this->set_parts(this->matrix_bytes(), 0, all.finish());
        }
        find_blocks(on);
        TILESPMV_CUDA(cudaStreamSynchronize(on));
    }

    void multiply(const Product<V>& product, cudaStream_t stream) const override {
        if (this->nnz() == 0) return launch_scale<V>(product.y, this->rows(), product.beta, stream);
        this->csr().visit([&]<class P>(const CsrView<V, P>& a) {
            const MergeSpmv<V, A, P> p{
                {this->template terms<A>(product), a}, starts_.data(), items(), partials_.in(product.workspace)};
            launch_dependent(csr_merge<V, A, P, kItems>, blocks_, kMergeThreads, p, stream);
        });
    }

private:
    [[nodiscard]] std::int64_t items() const { return this->rows() + this->nnz(); }

    void find_blocks(cudaStream_t stream) {
        this->csr().visit([&]<class P>(const CsrView<V, P>& a) {
            const MergeStarts<P> p{a.row_ptrs, this->rows(), kMergePieces<kItems>, starts_.data(), blocks_ + 1};
            launch(find_starts<P>, div_up(p.count, kMergeThreads), kMergeThreads, p, stream);
        });
    }

    std::int64_t blocks_;
    DeviceBuffer<MergeStart> starts_;
    WorkspacePart<BitsOf<A>> partials_;
};

/// `items`: 4, 8 or 12, or 0 for what suits the matrix.
template <class V>
std::unique_ptr<DeviceOperator<V>> make_merge(std::string_view name, const std::vector<ExecutedPart>& parts,
                                              const Source<V>& source, int items, Accumulator accumulator,
                                              const DeviceContext& on) {
    if (items == 0) items = merge_items(source.rows() + source.nnz(), this_tuning(sizeof(V)).merge);
    return with_accumulator<V>(accumulator, [&]<class A>() {
        std::unique_ptr<DeviceOperator<V>> made;
        with_constant<4, 8, 12>(
            items, [&]<int kItems>() { made = std::make_unique<CsrMerge<V, A, kItems>>(name, parts, source, on); });
        return made;
    });
}

}  // namespace

template <class V>
std::unique_ptr<Operator<V>> make_csr_merge(const Source<V>& source, Options& options, const MakeContext& context) {
    const DeviceContext& on = *context.device;
    const int items = options.one_of("items", 0, {4, 8, 12});
    options.finish();
    return make_merge<V>("csr-merge", {}, source, items, *context.accumulator, on);
}

template <class V>
std::unique_ptr<DeviceOperator<V>> make_lowered_to_csr(std::string_view name, const std::vector<ExecutedPart>& parts,
                                                       const Source<V>& source, Accumulator accumulator,
                                                       const DeviceContext& on) {
    const auto* there = source.find_device_csr();  // of both forms csr-merge has a copy
    return make_merge<V>(name, parts, there != nullptr ? Source<V>(source.csr(), *there) : source, 0, accumulator, on);
}

#define TILESPMV_INSTANTIATE(V)                                                                           \
    template std::unique_ptr<Operator<V>> make_csr_merge(const Source<V>&, Options&, const MakeContext&); \
    template std::unique_ptr<DeviceOperator<V>> make_lowered_to_csr(                                      \
        std::string_view, const std::vector<ExecutedPart>&, const Source<V>&, Accumulator, const DeviceContext&);
TILESPMV_FOR_EACH_VALUE(TILESPMV_INSTANTIATE)

}  // namespace tilespmv::cuda
