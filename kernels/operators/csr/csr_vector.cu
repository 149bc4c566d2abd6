#include "kernels/cuda/device_buffer.hpp"
#include "kernels/cuda/launch.cuh"
#include "kernels/cuda/this_gpu.hpp"
#include "kernels/cuda/tuning.hpp"
#include "kernels/operators/csr/csr_kernel.cuh"
#include "kernels/operators/csr/csr_operator.cuh"
#include "kernels/operators/csr/shape_options.hpp"

namespace tilespmv::cuda {
namespace {

constexpr int kBlockThreads = kVectorThreads;

/// Sum of the nonzeros k, k + kThreads, ... of a row that ends at `end`, kFlight of them in flight. Returns after the
/// wait for the stream, without nonzeros, too.
template <class V, class A, class P, int kThreads, int kFlight>
__device__ A lane_sum(const CsrSpmv<V, A, P>& p, P k, P end) {
    A sum = 0;
    for (; k < end; k += kFlight * kThreads) {
        A products[kFlight];
        Nonzeros<V, kFlight> nonzeros;
        nonzeros.load(p.a, k, end, P{kThreads}, p.cache_policy);
        nonzeros.multiply(p.x, products);
#pragma unroll
        for (int i = 0; i < kFlight; ++i) sum += k + static_cast<P>(i * kThreads) < end ? products[i] : A(0);
    }
    wait_for_stream();
    return sum;
}

/// kThreads threads a row, all of them in one warp.
template <class V, class A, class P, int kThreads, int kFlight>
__global__ void __launch_bounds__(kBlockThreads) csr_vector(CsrSpmv<V, A, P> p) {
    const std::int64_t row = (std::int64_t{blockIdx.x} * kBlockThreads + threadIdx.x) / kThreads;
    const auto lane = static_cast<P>(threadIdx.x % kThreads);
    const P end = row < p.rows ? p.a.row_ptrs[row + 1] : 0;
    const P begin = row < p.rows ? p.a.row_ptrs[row] + lane : 0;
    const A sum = sum_of_lanes<kThreads>(lane_sum<V, A, P, kThreads, kFlight>(p, begin, end));
    if (row < p.rows && lane == 0) p.write(row, sum);
}

template <class V, class A>
class CsrVector final : public CsrOperator<V> {
public:
    CsrVector(std::string_view name, const Source<V>& a, const VectorShape& shape, const DeviceContext& on)
        : CsrOperator<V>(name, a, on), shape_(shape) {}

    void multiply(const Product<V>& product, cudaStream_t stream) const override {
        this->csr().visit([&]<class P>(const CsrView<V, P>& a) {
            const CsrSpmv<V, A, P> p{this->template terms<A>(product), a};
            with_constant<1, 2, 4, 8, 16, 32>(shape_.threads, [&]<int kThreads>() {
                with_constant<1, 4, 8>(shape_.flight, [&]<int kFlight>() {
                    launch_dependent(csr_vector<V, A, P, kThreads, kFlight>,
                                     div_up(std::int64_t{this->rows()} * kThreads, kBlockThreads), kBlockThreads, p,
                                     stream);
                });
            });
        });
    }

private:
    VectorShape shape_;
};

template <class V>
std::unique_ptr<DeviceOperator<V>> make(std::string_view name, const Source<V>& a, const VectorShape& shape,
                                        Accumulator accumulator, const DeviceContext& on) {
    return with_accumulator<V>(accumulator, [&]<class A>() -> std::unique_ptr<DeviceOperator<V>> {
        return std::make_unique<CsrVector<V, A>>(name, a, shape, on);
    });
}

}  // namespace

/// One thread a row. No options.
template <class V>
std::unique_ptr<Operator<V>> make_csr_scalar(const Source<V>& source, Options& options, const MakeContext& context) {
    const DeviceContext& on = *context.device;
    options.finish();
    return make<V>("csr-scalar", source, {1, 4}, *context.accumulator, on);
}

/// Several threads a row, which read it side by side and add their sums by shuffles (Bell and Garland, "Implementing
/// sparse matrix-vector multiplication on throughput-oriented processors", SC 2009). Options: threads (2, 4, 8, 16 or
/// 32 a row); else rule (how they are chosen: rows, by the lengths of all rows, is the default, see `vector_shape`;
/// mean is the well-known CSR-vector rule by the mean row length, `threads_of_mean_row`); flight (1, 4 or 8 nonzeros of
/// a thread on their way at a time; default by the lengths of all rows, or 4 where these are not asked). The published
/// kernel is rule=mean,flight=1.
template <class V>
std::unique_ptr<Operator<V>> make_csr_vector(const Source<V>& source, Options& options, const MakeContext& context) {
    const DeviceContext& on = *context.device;
    const auto lengths = [&] { return source.row_statistics().rounds; };
    const auto shape = read_vector_shape(options, source.rows(), source.nnz(), lengths, this_tuning(sizeof(V)).vector);
    return make("csr-vector", source, shape, *context.accumulator, on);
}

template <class V>
OperatorInfo<V> info_of_csr_scalar() {
    return on_device<V>({.name = "csr-scalar", .summary = "CSR, a thread a row", .reads_csr_in_place = true},
                        make_csr_scalar<V>);
}

template <class V>
OperatorInfo<V> info_of_csr_vector() {
    return on_device<V>(
        {.name = "csr-vector",
         .summary =
             "CSR, several threads a row; threads=2|4|8|16|32, otherwise by rule=rows|mean from the lengths of all "
             "rows (rows) or nnz/rows, flight=1|4|8 nonzeros a thread at once",
         .sweeps = "threads=2|4|8|16|32,rule=rows|mean,flight=1|4|8",
         .reads_csr_in_place = true},
        make_csr_vector<V>);
}

#define TILESPMV_INSTANTIATE(V)                    \
    template OperatorInfo<V> info_of_csr_scalar(); \
    template OperatorInfo<V> info_of_csr_vector();
TILESPMV_FOR_EACH_VALUE(TILESPMV_INSTANTIATE)

}  // namespace tilespmv::cuda
