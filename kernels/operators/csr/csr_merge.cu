#include "kernels/cuda/combine.hpp"
#include "kernels/cuda/launch.cuh"
#include "kernels/cuda/this_gpu.hpp"
#include "kernels/executed.hpp"
#include "kernels/operator.hpp"
#include "kernels/operators/csr/csr_merge_kernel.cuh"
#include "kernels/operators/csr/csr_operator.cuh"
#include "kernels/operators/csr/lowered_to_csr.hpp"
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
        this->add_plan(starts_.bytes());
        if (!parts.empty()) {
            ExecutedParts all;
            all.add(parts, this->matrix_bytes());
            this->set_parts(this->matrix_bytes(), 0, all.finish());
        }
        find_blocks(on);
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

/// Equally many rows and nonzeros together for every block, by merge path (Merrill and Garland, SC 2016), up to the
/// beginning of a row that lies near. The partial products of a block go through shared memory; the partial sums of
/// split rows are added up by the block that ends the row, in a fixed order. Where the blocks begin is found on the GPU
/// when the operator is made. Option: items (4, 8 or 12: the nonzeros a thread has room for; default 8).
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

template <class V>
OperatorInfo<V> info_of_csr_merge() {
    return on_device<V>({.name = "csr-merge",
                         .summary = "CSR, rows and nonzeros balanced by merge path; items=4|8|12 a thread (8)",
                         .sweeps = "items=4|8|12",
                         .reads_csr_in_place = true},
                        make_csr_merge<V>);
}

#define TILESPMV_INSTANTIATE(V)                                      \
    template OperatorInfo<V> info_of_csr_merge();                    \
    template std::unique_ptr<DeviceOperator<V>> make_lowered_to_csr( \
        std::string_view, const std::vector<ExecutedPart>&, const Source<V>&, Accumulator, const DeviceContext&);
TILESPMV_FOR_EACH_VALUE(TILESPMV_INSTANTIATE)

}  // namespace tilespmv::cuda
