#include "kernels/cuda/launch.cuh"
#include "kernels/cuda/this_gpu.hpp"
#include "kernels/cuda/tuning.hpp"
#include "kernels/cuda/with_constant.hpp"
#include "kernels/operators/csr/csr_kernel.cuh"
#include "kernels/operators/csr/csr_operator.cuh"
#include "kernels/operators/csr/shape_options.hpp"

namespace tilespmv::cuda {
namespace {

/// One product; a block owns `block_rows` consecutive rows, and `group` of its threads each of them.
template <class V, class A, class P>
struct MultiroundSpmv : CsrSpmv<V, A, P> {
    int block_rows = 0;
    int group = 0;  ///< a power of two, at most the block
};

/// The sum of a group of several warps in its first thread; `sum` is that of the warp, in each of its lanes, and `sums`
/// in shared memory. All threads of the block call, and nobody needs what was there before.
template <class A>
__device__ A sum_of_warps(A* sums, A sum, int group) {
    const int warp = static_cast<int>(threadIdx.x) / kWarpSize;
    __syncthreads();
    if (threadIdx.x % kWarpSize == 0) sums[warp] = sum;
    __syncthreads();
    if ((threadIdx.x & static_cast<unsigned>(group - 1)) != 0) return sum;
    for (int i = 1; i < group / kWarpSize; ++i) sum += sums[warp + i];
    return sum;
}

/// The whole block brings the nonzeros of its rows, kProducts a thread and round, multiplied into shared memory; there
/// the groups take those of their rows. The sums stay in registers until the last round.
template <class V, class A, class P, int kProducts>
__global__ void __launch_bounds__(kMultiroundMaxThreads, resident(kMultiroundBlocks, kMultiroundMaxThreads))
    csr_multiround(MultiroundSpmv<V, A, P> p) {
    extern __shared__ __align__(16) unsigned char shared[];
    A* const products = reinterpret_cast<A*>(shared);
    const int thread = static_cast<int>(threadIdx.x);
    const std::int64_t first_row = std::int64_t{blockIdx.x} * p.block_rows;
    const std::int64_t end_row = first_row + p.block_rows < p.rows ? first_row + p.block_rows : p.rows;
    const std::int64_t row = first_row + (thread >> (__ffs(p.group) - 1));
    const P end = p.a.row_ptrs[end_row];
    const P row_begin = row < end_row ? p.a.row_ptrs[row] : end;
    const P row_end = row < end_row ? p.a.row_ptrs[row + 1] : end;
    const auto lane = static_cast<P>(thread & (p.group - 1));
    const auto round = static_cast<P>(blockDim.x * kProducts);
    A sum = 0;
    for (P begin = p.a.row_ptrs[first_row]; begin < end; begin += round) {
        Nonzeros<V, kProducts> nonzeros;
        A mine[kProducts];
        nonzeros.load(p.a, begin + static_cast<P>(thread), end, static_cast<P>(blockDim.x), p.cache_policy);
        nonzeros.multiply(p.x, mine);
        __syncthreads();  // nobody reads the partial products of the round before any more
#pragma unroll
        for (int i = 0; i < kProducts; ++i) products[thread + i * static_cast<int>(blockDim.x)] = mine[i];
        __syncthreads();
        const P last = begin + round < row_end ? begin + round : row_end;
        for (P k = (begin < row_begin ? row_begin : begin) + lane; k < last; k += static_cast<P>(p.group)) {
            sum += products[k - begin];
        }
    }
    wait_for_stream();  // blocks without nonzeros, too
    for (int step = min(p.group, kWarpSize) / 2; step > 0; step /= 2) sum += __shfl_xor_sync(kAllLanes, sum, step);
    if (p.group > kWarpSize) sum = sum_of_warps(products, sum, p.group);
    if (row < end_row && lane == 0) p.write(row, sum);
}

template <class V, class A>
class CsrMultiround final : public CsrOperator<V> {
public:
    CsrMultiround(const Source<V>& a, const MultiroundShape& shape, const DeviceContext& on)
        : CsrOperator<V>("csr-multiround", a, on), shape_(shape) {}

    void multiply(const Product<V>& product, cudaStream_t stream) const override {
        this->csr().visit([&]<class P>(const CsrView<V, P>& a) {
            const MultiroundSpmv<V, A, P> p{{this->template terms<A>(product), a}, shape_.rows, shape_.group};
            const auto blocks = div_up(this->rows(), shape_.rows);
            const auto shared = static_cast<std::size_t>(shape_.threads * shape_.products) * sizeof(A);
            with_constant<1, 2, 4, 8>(shape_.products, [&]<int kProducts>() {
                launch_dependent(csr_multiround<V, A, P, kProducts>, blocks, shape_.threads, p, stream, shared);
            });
        });
    }

private:
    MultiroundShape shape_;
};

}  // namespace

/// A block owns consecutive rows and computes their partial products round by round, coalesced, in shared memory of
/// a fixed size, where groups of threads add up the rows. Options: rows (a block's), threads (a block's), products
/// (partial products of a thread in a round), group (threads that add up a row, a power of 2 up to the whole block);
/// default `multiround_shape`.
template <class V>
std::unique_ptr<Operator<V>> make_csr_multiround(const Source<V>& source, Options& options,
                                                 const MakeContext& context) {
    const DeviceContext& on = *context.device;
    const auto shape = read_multiround_shape(options, source.rows(), source.nnz(), this_tuning(sizeof(V)).multiround);
    return with_accumulator<V>(*context.accumulator, [&]<class A>() -> std::unique_ptr<DeviceOperator<V>> {
        return std::make_unique<CsrMultiround<V, A>>(source, shape, on);
    });
}

template <class V>
OperatorInfo<V> info_of_csr_multiround() {
    return on_device<V>(
        {.name = "csr-multiround",
         .summary =
             "CSR, blocks of rows summed in shared memory, no preprocessing; rows=1..512, "
             "threads=64|128|256|512, products=1|2|4|8, group=1|2|4|..|512 a row, otherwise chosen from nnz/rows",
         .sweeps = "rows=8|64|256,threads=64|128|256|512,products=1|2|4|8,group=1|2|4|8|16|32|64|128|256|512",
         .reads_csr_in_place = true},
        make_csr_multiround<V>);
}

#define TILESPMV_INSTANTIATE(V) template OperatorInfo<V> info_of_csr_multiround();
TILESPMV_FOR_EACH_VALUE(TILESPMV_INSTANTIATE)

}  // namespace tilespmv::cuda
