#include "kernels/cuda/device_operator.hpp"
#include "kernels/cuda/device_row_blocks.cuh"
#include "kernels/cuda/launch.cuh"
#include "kernels/cuda/split_buffers.cuh"
#include "kernels/cuda/this_gpu.hpp"
#include "kernels/operators/csr/csr_operator.cuh"
#include "kernels/operators/csr_adaptive/csr_adaptive_kernel.cuh"

namespace tilespmv::cuda {
namespace {

struct MakeAdaptive {
    int threads = 0;

    __device__ AdaptiveBlock make(const RowBlock& from) const {
        AdaptiveBlock block;
        block.first_nonzero = from.first_nonzero;
        block.first_row = static_cast<std::uint32_t>(from.first_row);
        block.nonzeros = static_cast<std::int32_t>(from.nonzeros);
        block.partial = from.partial;
        block.split = from.split;
        block.rows = static_cast<std::uint16_t>(from.rows);
        block.threads_log2 =
            static_cast<std::uint16_t>(adaptive_threads_log2(static_cast<unsigned>(from.rows), threads));
        return block;
    }
};

template <class V>
DeviceRowBlocks<AdaptiveBlock> row_blocks_of(const Source<V>& a, const AdaptiveLimits& limits,
                                             const DeviceContext& on) {
    if (is_planned_on_host(a)) {
        const auto& row_ptrs = a.row_ptrs();
        const AdaptivePlan plan = make_adaptive_plan({row_ptrs.data(), row_ptrs.size()}, limits);
        DeviceRowBlocks<AdaptiveBlock> made{upload(plan.blocks, on), upload(plan.splits, on), {}};
        made.all.partials = plan.partials;
        made.all.in_long_rows = plan.in_long_rows;
        TILESPMV_CUDA(cudaStreamSynchronize(on));  // the plan goes away
        return made;
    }
    const DeviceBuffer<offset_t> row_ptrs = row_ptrs_on_device(a, on);
    const RowBlockCut cut{row_ptrs.data(),       a.rows(),         limits.block_nonzeros,
                          limits.piece_nonzeros, limits.whole_row, limits.max_rows()};
    auto made = cut_row_blocks<AdaptiveBlock>(cut, MakeAdaptive{limits.threads}, on);
    count_bytes_to_host(a, made.bytes_to_host);
    return made;
}

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
        : CsrAdaptive(a, limits, row_blocks_of(a, limits, on), on) {}
    CsrAdaptive(const Source<V>& a, const AdaptiveLimits& limits, DeviceRowBlocks<AdaptiveBlock> plan,
                const DeviceContext& on)
        : CsrOperator<V>("csr-adaptive", a, on),
          threads_(limits.threads),
          shape_(row_block_shape(limits.block_nonzeros, limits.threads, a.nnz(), plan.all.in_long_rows,
                                 this_tuning(sizeof(V)).row_blocks)),
          blocks_(std::move(plan.blocks)),
          splits_(std::move(plan.splits), plan.all.partials, this->layout()) {
        this->add_plan(blocks_.bytes(), splits_.bytes());
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
