#include "kernels/accumulator.hpp"
#include "kernels/csr/csr_kernel.cuh"
#include "kernels/csr/csr_operator.cuh"
#include "kernels/csr/csr_operators.hpp"
#include "kernels/csr/shape_options.hpp"
#include "kernels/cuda/launch.cuh"
#include "kernels/cuda/this_gpu.hpp"
#include "kernels/cuda/tuning.hpp"
#include "kernels/cuda/with_constant.hpp"

namespace tilespmv::cuda {
namespace {

constexpr int kBlockThreads = kVectorThreads;

/// kThreads threads a row, all of them in one warp, each with kFlight nonzeros in flight.
template <class V, class A, class P, int kThreads, int kFlight>
__global__ void __launch_bounds__(kBlockThreads) csr_vector(CsrSpmv<V, A, P> p) {
    const std::int64_t row = (std::int64_t{blockIdx.x} * kBlockThreads + threadIdx.x) / kThreads;
    const auto lane = static_cast<P>(threadIdx.x % kThreads);
    const P end = row < p.rows ? p.a.row_ptrs[row + 1] : 0;
    A sum = 0;
    for (P k = row < p.rows ? p.a.row_ptrs[row] + lane : 0; k < end; k += kFlight * kThreads) {
        A products[kFlight];
        Nonzeros<V, kFlight> nonzeros;
        nonzeros.load(p.a, k, end, P{kThreads});
        nonzeros.multiply(p.x, products);
#pragma unroll
        for (int i = 0; i < kFlight; ++i) sum += k + static_cast<P>(i * kThreads) < end ? products[i] : A(0);
    }
    wait_for_stream();  // threads without nonzeros, too
    for (int step = kThreads / 2; step > 0; step /= 2) sum += __shfl_xor_sync(kAllLanes, sum, step);
    if (row < p.rows && lane == 0) p.write(row, sum);
}

template <class V, class A>
class CsrVector final : public CsrOperator<V> {
public:
    CsrVector(std::string_view name, const CsrSource<V>& a, const VectorShape& shape, const DeviceContext& on)
        : CsrOperator<V>(name, a, on), shape_(shape) {}

    void multiply(const Product<V>& product, cudaStream_t stream) const override {
        this->csr().visit([&]<class P>(const CsrView<V, P>& a) {
            const CsrSpmv<V, A, P> p{this->template terms<A>(product), a};
            const auto blocks = div_up(std::int64_t{this->rows()} * shape_.threads, kBlockThreads);
            with_constant<1, 2, 4, 8, 16, 32>(shape_.threads, [&]<int kThreads>() {
                with_constant<1, 4, 8>(shape_.flight, [&]<int kFlight>() {
                    launch_dependent(csr_vector<V, A, P, kThreads, kFlight>, blocks, kBlockThreads, p, stream);
                });
            });
        });
    }

private:
    VectorShape shape_;
};

template <class V>
std::unique_ptr<DeviceOperator<V>> make(std::string_view name, const CsrSource<V>& a, const VectorShape& shape,
                                        Accumulator accumulator, const DeviceContext& on) {
    return with_accumulator<V>(accumulator, [&]<class A>() -> std::unique_ptr<DeviceOperator<V>> {
        return std::make_unique<CsrVector<V, A>>(name, a, shape, on);
    });
}

}  // namespace

template <class V>
std::unique_ptr<DeviceOperator<V>> make_csr_scalar(const MatrixForms<V>& forms, Options& options,
                                                   Accumulator accumulator, const DeviceContext& on) {
    options.finish();
    return make<V>("csr-scalar", {forms, on}, {1, 4}, accumulator, on);
}

template <class V>
std::unique_ptr<DeviceOperator<V>> make_csr_vector(const MatrixForms<V>& forms, Options& options,
                                                   Accumulator accumulator, const DeviceContext& on) {
    const CsrSource<V> source(forms, on);
    const auto shape = read_vector_shape(options, source.row_ptrs(), this_tuning(sizeof(V)).vector);
    return make("csr-vector", source, shape, accumulator, on);
}

#define TILESPMV_INSTANTIATE(V)                                                                               \
    template std::unique_ptr<DeviceOperator<V>> make_csr_scalar(const MatrixForms<V>&, Options&, Accumulator, \
                                                                const DeviceContext&);                        \
    template std::unique_ptr<DeviceOperator<V>> make_csr_vector(const MatrixForms<V>&, Options&, Accumulator, \
                                                                const DeviceContext&);
TILESPMV_FOR_EACH_VALUE(TILESPMV_INSTANTIATE)

}  // namespace tilespmv::cuda
