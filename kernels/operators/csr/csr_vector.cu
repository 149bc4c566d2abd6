#include "kernels/cuda/device_buffer.hpp"
#include "kernels/cuda/launch.cuh"
#include "kernels/cuda/this_gpu.hpp"
#include "kernels/cuda/tuning.hpp"
#include "kernels/cuda/with_constant.hpp"
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

template <class V, class A, class P>
struct TurnsSpmv : CsrSpmv<V, A, P> {
    const index_t* first_rows = nullptr;  ///< of blocks; one more than there are
};

/// The same by as many blocks as the GPU holds at a time: each takes consecutive rows in turns, so that x of the rows
/// before is still in the first-level cache of its multiprocessor.
template <class V, class A, class P, int kThreads, int kFlight>
__global__ void __launch_bounds__(kTurnThreads, resident(kTurnBlocks, kTurnThreads))
    csr_vector_turns(TurnsSpmv<V, A, P> p) {
    constexpr int kGroups = kWarpSize / kThreads;  // of a warp
    const std::int64_t last = p.first_rows[blockIdx.x + 1];
    const auto warp = static_cast<int>(threadIdx.x) / kWarpSize;
    const auto lane = static_cast<P>(threadIdx.x % kThreads);
    std::int64_t row = p.first_rows[blockIdx.x] + std::int64_t{warp} * kGroups;  // the first one of its warp
    const std::int64_t group = static_cast<int>(threadIdx.x) % kWarpSize / kThreads;
    P begin = row + group < last ? p.a.row_ptrs[row + group] : 0;
    P end = row + group < last ? p.a.row_ptrs[row + group + 1] : 0;
    for (; row < last; row += kTurnThreads / kThreads) {
        const std::int64_t next = row + kTurnThreads / kThreads + group;
        const P next_begin = next < last ? p.a.row_ptrs[next] : 0;
        const P next_end = next < last ? p.a.row_ptrs[next + 1] : 0;
        A sum = lane_sum<V, A, P, kThreads, kFlight>(p, begin + lane, end);
        __syncwarp();  // see sum_of_lanes
        sum = sum_of_lanes<kThreads>(sum);
        if (row + group < last && lane == 0) p.write(row + group, sum);
        begin = next_begin;
        end = next_end;
    }
    wait_for_stream();  // warps without rows, too
}

template <class P>
struct TurnsToFind {
    const P* row_ptrs = nullptr;
    index_t rows = 0;
    offset_t nnz = 0;
    int blocks = 0;
    index_t* first_rows = nullptr;
};

/// Where blocks of about as many rows and nonzeros together begin, as `even_pieces` finds them.
template <class P>
__global__ void __launch_bounds__(kBlockThreads) find_turns(TurnsToFind<P> p) {
    const int block = static_cast<int>(blockIdx.x * kBlockThreads + threadIdx.x);
    if (block > p.blocks) return;
    const double wanted = static_cast<double>(p.nnz + p.rows) * block / p.blocks;
    index_t first = 0;
    index_t end = block < p.blocks ? p.rows : 0;
    while (first < end) {
        const index_t middle = first + (end - first) / 2;
        const bool is_before = static_cast<double>(static_cast<offset_t>(p.row_ptrs[middle]) + middle) < wanted;
        first = is_before ? middle + 1 : first;
        end = is_before ? end : middle;
    }
    p.first_rows[block] = block < p.blocks ? first : p.rows;
}

template <class V, class A>
class CsrVector final : public CsrOperator<V> {
public:
    CsrVector(std::string_view name, const Source<V>& a, const VectorShape& shape, bool takes_turns,
              const DeviceContext& on)
        : CsrOperator<V>(name, a, on), shape_(shape) {
        if (!takes_turns) return;
        const int blocks = kTurnBlocks * this_gpu(sizeof(V)).multiprocessors;
        first_rows_ = DeviceBuffer<index_t>(static_cast<std::size_t>(blocks) + 1, on);
        this->add_plan(0, first_rows_.bytes());
        this->csr().visit([&]<class P>(const CsrView<V, P>& csr) {
            const TurnsToFind<P> p{csr.row_ptrs, a.rows(), a.nnz(), blocks, first_rows_.data()};
            launch(find_turns<P>, div_up(blocks + 1, kBlockThreads), kBlockThreads, p, on.stream);
        });
    }

    void multiply(const Product<V>& product, cudaStream_t stream) const override {
        this->csr().visit([&]<class P>(const CsrView<V, P>& a) {
            const CsrSpmv<V, A, P> p{this->template terms<A>(product), a};
            with_constant<1, 2, 4, 8, 16, 32>(shape_.threads, [&]<int kThreads>() {
                with_constant<1, 4, 8>(shape_.flight, [&]<int kFlight>() {
                    if (first_rows_.empty()) {
                        const auto blocks = div_up(std::int64_t{this->rows()} * kThreads, kBlockThreads);
                        launch_dependent(csr_vector<V, A, P, kThreads, kFlight>, blocks, kBlockThreads, p, stream);
                    } else {
                        const auto blocks = static_cast<std::int64_t>(first_rows_.size()) - 1;
                        launch_dependent(csr_vector_turns<V, A, P, kThreads, kFlight>, blocks, kTurnThreads,
                                         TurnsSpmv<V, A, P>{p, first_rows_.data()}, stream);
                    }
                });
            });
        });
    }

private:
    VectorShape shape_;
    DeviceBuffer<index_t> first_rows_;  // of blocks that take turns, else empty
};

template <class V>
std::unique_ptr<DeviceOperator<V>> make(std::string_view name, const Source<V>& a, const VectorShape& shape,
                                        bool takes_turns, Accumulator accumulator, const DeviceContext& on) {
    return with_accumulator<V>(accumulator, [&]<class A>() -> std::unique_ptr<DeviceOperator<V>> {
        return std::make_unique<CsrVector<V, A>>(name, a, shape, takes_turns, on);
    });
}

}  // namespace

/// One thread a row. No options.
template <class V>
std::unique_ptr<Operator<V>> make_csr_scalar(const Source<V>& source, Options& options, const MakeContext& context) {
    const DeviceContext& on = *context.device;
    options.finish();
    return make<V>("csr-scalar", source, {1, 4}, false, *context.accumulator, on);
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
    const bool takes_turns = options.one_of("turns", 0, {0, 1}) == 1;
    const auto flights = takes_turns ? std::span<const int>(kTurnFlights) : kVectorFlights;
    const Tuning& tuning = this_tuning(sizeof(V));
    const auto lengths = [&] { return source.row_statistics().rounds; };
    const auto shape = read_vector_shape(options, source.rows(), source.nnz(), lengths, flights,
                                         takes_turns ? tuning.turns : tuning.vector);
    return make("csr-vector", source, shape, takes_turns, *context.accumulator, on);
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
             "rows (rows) or nnz/rows, flight=1|4|8 nonzeros a thread at once, "
             "turns=1: as many blocks as the GPU holds take consecutive rows in turns, for x near the diagonal",
         .sweeps = "threads=2|4|8|16|32,rule=rows|mean,flight=1|4|8,turns=0|1",
         .reads_csr_in_place = true},
        make_csr_vector<V>);
}

#define TILESPMV_INSTANTIATE(V)                    \
    template OperatorInfo<V> info_of_csr_scalar(); \
    template OperatorInfo<V> info_of_csr_vector();
TILESPMV_FOR_EACH_VALUE(TILESPMV_INSTANTIATE)

}  // namespace tilespmv::cuda
