#include "kernels/cuda/device_operator.hpp"
#include "kernels/cuda/launch.cuh"
#include "kernels/cuda/split_buffers.cuh"
#include "kernels/cuda/this_gpu.hpp"
#include "kernels/cuda/with_constant.hpp"
#include "kernels/operators/csr/csr_operator.cuh"
#include "kernels/operators/csr_adaptive/csr_adaptive_kernel.cuh"

namespace tilespmv::cuda {
namespace {

template <class V, class A>
class CsrAdaptive final : public CsrOperator<V> {
public:
    CsrAdaptive(const Source<V>& a, int threads, const DeviceContext& on)
        : CsrAdaptive(a, adaptive_limits(a.nnz(), threads, this_gpu(sizeof(V))), on) {}

    void multiply(const Product<V>& product, cudaStream_t stream) const override {
        this->csr().visit([&]<class P>(const CsrView<V, P>& a) {
            AdaptiveSpmv<V, A, P> p;
            static_cast<CsrSpmv<V, A, P>&>(p) = {this->template terms<A>(product), a};
            splits_.put(p, product.workspace);
            p.blocks = blocks_.data();
            p.block_count = static_cast<std::int64_t>(blocks_.size());
            with_constant<64, 128, 256>(threads_, [&]<int kThreads>() {
                with_row_block_kernel<kThreads>(shape_, [&]<class Kernel>() {
                    launch_dependent(csr_adaptive<V, A, P, Kernel>, div_up(p.block_count, std::int64_t{Kernel::kTeams}),
                                     Kernel::kBlockThreads, p, stream);
                });
            });
        });
    }

private:
    CsrAdaptive(const Source<V>& a, const AdaptiveLimits& limits, const DeviceContext& on)
        : CsrAdaptive(a, limits, make_adaptive_plan(a.row_ptrs(), limits), on) {}
    CsrAdaptive(const Source<V>& a, const AdaptiveLimits& limits, const AdaptivePlan& plan, const DeviceContext& on)
        : CsrOperator<V>("csr-adaptive", a, on),
          threads_(limits.threads),
          shape_(row_block_shape(limits.block_nonzeros, limits.threads, a.nnz(), plan.in_long_rows,
                                 this_tuning(sizeof(V)).row_blocks)),
          blocks_(upload(plan.blocks, on)),
          splits_(plan.splits, plan.partials, this->layout(), on) {
        this->add_plan(blocks_.bytes(), splits_.bytes());
        TILESPMV_CUDA(cudaStreamSynchronize(on));  // the plan goes away
    }

    int threads_;
    RowBlockShape shape_;
    DeviceBuffer<AdaptiveBlock> blocks_;
    SplitBuffers<A> splits_;
};

}  // namespace

/// CSR in blocks of rows (`AdaptivePlan`), made from CSR. Option: threads (64, 128 or 256 for a row block,
/// with up to 8 nonzeros each in shared memory; default 64).
template <class V>
std::unique_ptr<Operator<V>> make_csr_adaptive(const Source<V>& source, Options& options, const MakeContext& context) {
    const DeviceContext& on = *context.device;
    const int threads = options.one_of("threads", this_tuning(sizeof(V)).adaptive_threads, {64, 128, 256});
    options.finish();
    return with_accumulator<V>(*context.accumulator, [&]<class A>() -> std::unique_ptr<DeviceOperator<V>> {
        return std::make_unique<CsrAdaptive<V, A>>(source, threads, on);
    });
}

template <class V>
OperatorInfo<V> info_of_csr_adaptive() {
    return on_device<V>(
        {.name = "csr-adaptive",
         .summary =
             "CSR, blocks of rows by their nonzeros, long rows by a block or several; threads=64|128|256 a block (64)",
         .sweeps = "threads=64|128|256",
         .reads_csr_in_place = true},
        make_csr_adaptive<V>);
}

#define TILESPMV_INSTANTIATE(V) template OperatorInfo<V> info_of_csr_adaptive();
TILESPMV_FOR_EACH_VALUE(TILESPMV_INSTANTIATE)

}  // namespace tilespmv::cuda
