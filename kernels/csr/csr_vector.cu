#include "kernels/accumulator.hpp"
#include "kernels/csr/csr_kernel.cuh"
#include "kernels/csr/csr_operator.cuh"
#include "kernels/csr/csr_operators.hpp"
#include "kernels/csr/shape_options.hpp"
#include "kernels/cuda/launch.cuh"
#include "kernels/cuda/this_gpu.hpp"
#include "kernels/cuda/tuning.hpp"
#include "kernels/cuda/turns.cuh"
#include "kernels/cuda/turns.hpp"
#include "kernels/cuda/with_constant.hpp"

namespace tilespmv::cuda {
namespace {

constexpr int kBlockThreads = kVectorThreads;

template <class V, class A, class P>
struct VectorSpmv : CsrSpmv<V, A, P> {
    Turns turns = {};
};

/// kThreads threads a row, all of them in one warp, each with kFlight nonzeros in flight.
template <class V, class A, class P, int kThreads, int kFlight>
__global__ void __launch_bounds__(kBlockThreads) csr_vector(VectorSpmv<V, A, P> p) {
    const BlockTurns<kBlockThreads / kThreads> turns(p.turns, p.rows);
    const auto lane = static_cast<P>(threadIdx.x % kThreads);
    std::int64_t row = turns.begin + threadIdx.x / kThreads;
    P begin = row < turns.end ? p.a.row_ptrs[row] : 0;
    P end = row < turns.end ? p.a.row_ptrs[row + 1] : 0;
    for (std::int64_t first = turns.begin; first < turns.end; first += turns.step) {
        const std::int64_t next = row + turns.step;
        const P next_begin = next < turns.end ? p.a.row_ptrs[next] : 0;
        const P next_end = next < turns.end ? p.a.row_ptrs[next + 1] : 0;
        A sum = 0;
        for (P k = begin + lane; k < end; k += kFlight * kThreads) {
            A products[kFlight];
            Nonzeros<V, kFlight> nonzeros;
            nonzeros.load(p.a, k, end, P{kThreads});
            nonzeros.multiply(p.x, products);
#pragma unroll
            for (int i = 0; i < kFlight; ++i) sum += k + static_cast<P>(i * kThreads) < end ? products[i] : A(0);
        }
        wait_for_stream();  // threads without nonzeros, too
        for (int step = kThreads / 2; step > 0; step /= 2) sum += __shfl_xor_sync(kAllLanes, sum, step);
        if (row < turns.end && lane == 0) p.write(row, sum);
        row = next;
        begin = next_begin;
        end = next_end;
    }
    wait_for_stream();
}

template <class V, class A>
class CsrVector final : public CsrOperator<V> {
public:
    CsrVector(std::string_view name, const CsrSource<V>& a, const VectorShape& shape, TakeTurns take_turns,
              const DeviceContext& on)
        : CsrOperator<V>(name, a, on), shape_(shape) {
        const auto turns = div_up(std::int64_t{a.rows()} * shape.threads, kBlockThreads);
        const Buffer<offset_t>& ptrs = a.row_ptrs();
        const auto before = [&](index_t row) { return ptrs[row] + row; };
        with_kernel([&]<class P>(const CsrView<V, P>&, auto* kernel) {
            plan_ = TurnPlan(kernel, kBlockThreads, turns, a.rows(), take_turns, this_gpu(sizeof(V)), before, on);
        });
    }

    [[nodiscard]] std::size_t device_bytes() const override { return CsrOperator<V>::device_bytes() + plan_.bytes(); }

    void multiply(const Product<V>& product, cudaStream_t stream) const override {
        with_kernel([&]<class P>(const CsrView<V, P>& a, auto* kernel) {
            const VectorSpmv<V, A, P> p{{this->template terms<A>(product), a}, plan_.turns()};
            launch_dependent(kernel, plan_.blocks(), kBlockThreads, p, stream);
        });
    }

private:
    /// Calls f(matrix, kernel of the shape).
    template <class F>
    void with_kernel(F&& f) const {
        this->csr().visit([&]<class P>(const CsrView<V, P>& a) {
            with_constant<1, 2, 4, 8, 16, 32>(shape_.threads, [&]<int kThreads>() {
                with_constant<1, 4, 8>(shape_.flight,
                                       [&]<int kFlight>() { f(a, &csr_vector<V, A, P, kThreads, kFlight>); });
            });
        });
    }

    VectorShape shape_;
    TurnPlan plan_;
};

template <class V>
std::unique_ptr<DeviceOperator<V>> make(std::string_view name, const CsrSource<V>& a, const VectorShape& shape,
                                        TakeTurns take_turns, Accumulator accumulator, const DeviceContext& on) {
    return with_accumulator<V>(accumulator, [&]<class A>() -> std::unique_ptr<DeviceOperator<V>> {
        return std::make_unique<CsrVector<V, A>>(name, a, shape, take_turns, on);
    });
}

}  // namespace

template <class V>
std::unique_ptr<DeviceOperator<V>> make_csr_scalar(const MatrixForms<V>& forms, Options& options,
                                                   Accumulator accumulator, const DeviceContext& on) {
    options.finish();
    return make<V>("csr-scalar", {forms, on}, {1, 4}, TakeTurns::no, accumulator, on);
}

template <class V>
std::unique_ptr<DeviceOperator<V>> make_csr_vector(const MatrixForms<V>& forms, Options& options,
                                                   Accumulator accumulator, const DeviceContext& on) {
    const CsrSource<V> source(forms, on);
    const TakeTurns take_turns = read_turns(options);
    const auto shape = read_vector_shape(options, source.row_ptrs(), this_tuning(sizeof(V)).vector);
    return make("csr-vector", source, shape, take_turns, accumulator, on);
}

#define TILESPMV_INSTANTIATE(V)                                                                               \
    template std::unique_ptr<DeviceOperator<V>> make_csr_scalar(const MatrixForms<V>&, Options&, Accumulator, \
                                                                const DeviceContext&);                        \
    template std::unique_ptr<DeviceOperator<V>> make_csr_vector(const MatrixForms<V>&, Options&, Accumulator, \
                                                                const DeviceContext&);
TILESPMV_FOR_EACH_VALUE(TILESPMV_INSTANTIATE)

}  // namespace tilespmv::cuda
