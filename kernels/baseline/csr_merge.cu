#include "kernels/accumulator.hpp"
#include "kernels/baseline/csr_merge_kernel.cuh"
#include "kernels/baseline/csr_operator.hpp"
#include "kernels/baseline/csr_operators.hpp"
#include "kernels/baseline/defaults.hpp"
#include "kernels/cuda/device.hpp"
#include "kernels/cuda/launch.cuh"

namespace tilespmv::baseline {
namespace {

template <class V, class A>
class CsrMerge final : public CsrOperator<V> {
public:
    CsrMerge(const CsrMatrix<V>& a, int items_per_thread, cudaStream_t stream)
        : CsrOperator<V>("csr-merge", a, stream),
          items_per_thread_(items_per_thread),
          blocks_(div_up(items(), block_items())),
          first_rows_(static_cast<std::size_t>(blocks_ + 1)),
          partials_(static_cast<std::size_t>(2 * blocks_)),
          arrivals_(static_cast<std::size_t>(blocks_)) {
        find_blocks(stream);
        TILESPMV_CUDA(cudaMemsetAsync(arrivals_.data(), 0, arrivals_.bytes(), stream));
        TILESPMV_CUDA(cudaStreamSynchronize(stream));
    }

    [[nodiscard]] std::size_t matrix_bytes() const override {
        return CsrOperator<V>::matrix_bytes() + first_rows_.bytes();
    }
    [[nodiscard]] std::size_t device_bytes() const override {
        return matrix_bytes() + partials_.bytes() + arrivals_.bytes();
    }

    void apply(double alpha, const V* x, double beta, V* y, cudaStream_t stream) const override {
        if (alpha == 0) return cuda::launch_scale(y, this->rows(), static_cast<A>(beta), stream);
        this->csr().visit([&]<class P>(const CsrView<V, P>& a) {
            const MergeSpmv<V, A, P> p{{a, x, y, static_cast<A>(alpha), static_cast<A>(beta), this->rows()},
                                       first_rows_.data(),
                                       items(),
                                       partials_.data(),
                                       arrivals_.data()};
            with_constant<3, 5, 7, 9>(items_per_thread_, [&]<int kItems>() {
                cuda::launch(csr_merge<V, A, P, kItems>, blocks_, kMergeThreads, p, stream);
            });
        });
    }

private:
    [[nodiscard]] std::int64_t items() const { return this->rows() + this->nnz(); }
    [[nodiscard]] int block_items() const { return kMergeThreads * items_per_thread_; }

    void find_blocks(cudaStream_t stream) {
        this->csr().visit([&]<class P>(const CsrView<V, P>& a) {
            const FirstRows<P> p{a.row_ptrs, this->rows(), items(), block_items(), first_rows_.data(), blocks_ + 1};
            cuda::launch(find_first_rows<P>, div_up(p.count, kMergeThreads), kMergeThreads, p, stream);
        });
    }

    int items_per_thread_;
    std::int64_t blocks_;
    cuda::DeviceBuffer<index_t> first_rows_;
    cuda::DeviceBuffer<A> partials_;
    cuda::DeviceBuffer<unsigned> arrivals_;
};

}  // namespace

template <class V>
std::unique_ptr<cuda::DeviceOperator<V>> make_csr_merge(const cuda::DeviceSource<V>& source, Options& options,
                                                        Accumulator accumulator, cudaStream_t stream) {
    const int chosen = options.one_of("items", 0, {3, 5, 7, 9});
    options.finish();
    const auto& a = *source.csr;
    const int items = chosen > 0 ? chosen : items_per_thread(a.rows + a.nnz(), cuda::require_device().multiprocessors);
    return with_accumulator<V>(accumulator, [&]<class A>() -> std::unique_ptr<cuda::DeviceOperator<V>> {
        return std::make_unique<CsrMerge<V, A>>(a, items, stream);
    });
}

#define TILESPMV_INSTANTIATE(V)                                                                              \
    template std::unique_ptr<cuda::DeviceOperator<V>> make_csr_merge(const cuda::DeviceSource<V>&, Options&, \
                                                                     Accumulator, cudaStream_t);
TILESPMV_FOR_EACH_VALUE(TILESPMV_INSTANTIATE)

}  // namespace tilespmv::baseline
