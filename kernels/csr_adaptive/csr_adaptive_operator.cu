#include "kernels/csr_adaptive/csr_adaptive_operator.hpp"

#include "kernels/accumulator.hpp"
#include "kernels/csr/csr_operator.cuh"
#include "kernels/csr_adaptive/csr_adaptive_kernel.cuh"
#include "kernels/cuda/device.hpp"
#include "kernels/cuda/launch.cuh"
#include "kernels/cuda/split_buffers.cuh"

namespace tilespmv::cuda {
namespace {

template <class V, class A>
class CsrAdaptive final : public CsrOperator<V> {
public:
    CsrAdaptive(const CsrMatrix<V>& a, int threads, cudaStream_t stream)
        : CsrAdaptive(
              a, threads,
              make_adaptive_plan(a.row_ptrs, adaptive_limits(a.nnz(), threads, this_gpu_size().multiprocessors)),
              stream) {}

    [[nodiscard]] std::size_t matrix_bytes() const override { return CsrOperator<V>::matrix_bytes() + blocks_.bytes(); }
    [[nodiscard]] std::size_t device_bytes() const override { return matrix_bytes() + splits_.bytes(); }

    void apply(double alpha, const V* x, double beta, V* y, cudaStream_t stream) const override {
        if (alpha == 0) return launch_scale(y, this->rows(), static_cast<A>(beta), stream);
        this->csr().visit([&]<class P>(const CsrView<V, P>& a) {
            AdaptiveSpmv<V, A, P> p;
            static_cast<CsrSpmv<V, A, P>&>(p) = {this->template terms<A>(alpha, x, beta, y), a};
            splits_.put(p);
            p.blocks = blocks_.data();
            with_constant<64, 128, 256>(threads_, [&]<int kThreads>() {
                launch(csr_adaptive<V, A, P, kThreads>, static_cast<std::int64_t>(blocks_.size()), kThreads, p, stream);
            });
        });
    }

private:
    CsrAdaptive(const CsrMatrix<V>& a, int threads, const AdaptivePlan& plan, cudaStream_t stream)
        : CsrOperator<V>("csr-adaptive", a, stream),
          threads_(threads),
          blocks_(upload(plan.blocks, stream)),
          splits_(plan.splits, plan.slots, stream) {
        TILESPMV_CUDA(cudaStreamSynchronize(stream));  // the plan goes away
    }

    int threads_;
    DeviceBuffer<AdaptiveBlock> blocks_;
    SplitBuffers<A> splits_;
};

}  // namespace

template <class V>
std::unique_ptr<DeviceOperator<V>> make_csr_adaptive(const MatrixForms<V>& forms, Options& options,
                                                     Accumulator accumulator, cudaStream_t stream) {
    const int threads = options.one_of("threads", 64, {64, 128, 256});
    options.finish();
    return with_accumulator<V>(accumulator, [&]<class A>() -> std::unique_ptr<DeviceOperator<V>> {
        return std::make_unique<CsrAdaptive<V, A>>(forms.csr(), threads, stream);
    });
}

#define TILESPMV_INSTANTIATE(V)                                                                                 \
    template std::unique_ptr<DeviceOperator<V>> make_csr_adaptive(const MatrixForms<V>&, Options&, Accumulator, \
                                                                  cudaStream_t);
TILESPMV_FOR_EACH_VALUE(TILESPMV_INSTANTIATE)

}  // namespace tilespmv::cuda
