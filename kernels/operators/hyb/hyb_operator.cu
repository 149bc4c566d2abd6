#include "kernels/cuda/device_operator.hpp"
#include "kernels/cuda/launch.cuh"
#include "kernels/executed.hpp"
#include "kernels/operators/coo/coo_buffers.cuh"
#include "kernels/operators/ell/ell_buffers.cuh"
#include "kernels/operators/hyb/hyb.hpp"

namespace tilespmv::cuda {
namespace {

constexpr int kBlockThreads = kCooThreads;

template <class V, class A>
struct HybSpmv : ProductTerms<V, A> {
    EllView<V> ell;
    CooView<V, A> coo;
    std::int64_t coo_blocks = 0;
    const std::uint32_t* split = nullptr;
    BitsOf<A>* row_sums = nullptr;  ///< `AwaitedSums` of the rows in COO
};

/// Blocks of COO, which leave the sums of their rows, and behind them those of ELL, which wait for them and write y.
template <class V, class A>
__global__ void __launch_bounds__(kBlockThreads) hyb_spmv(const __grid_constant__ HybSpmv<V, A> p) {
    __shared__ CooStage<A> stage;
    const AwaitedSums<A> row_sums(p.row_sums);
    if (blockIdx.x < p.coo_blocks) {
        CooProduct<V, A>(p.coo, stage, p.cache_policy).run(p.x, [&](index_t row, A sum) { row_sums.leave(row, sum); });
        return;
    }
    const std::int64_t row = (blockIdx.x - p.coo_blocks) * kBlockThreads + threadIdx.x;
    if (row >= p.rows) return;
    const bool is_split = (load_often(p.split + row / 32) >> row % 32 & 1u) != 0;
    A sum = ell_row_sum<A>(p.ell, row, p.x, p.cache_policy);
    if (is_split) sum += row_sums.take(row);
    p.write(row, sum);
}

/// New values for the nonzeros in COO, from those of CSR: each stands there behind all nonzeros in ELL up to its row.
template <class V>
struct CooFill {
    const V* csr_values = nullptr;
    const offset_t* before = nullptr;  ///< nonzeros in ELL up to the end of each row
    const index_t* row_idxs = nullptr;
    offset_t nnz = 0;
    V* values = nullptr;
};
template <class V>
__global__ void __launch_bounds__(kElementwiseThreads) fill_coo(const __grid_constant__ CooFill<V> p) {
    const offset_t at = offset_t{blockIdx.x} * kElementwiseThreads + threadIdx.x;
    if (at < p.nnz) p.values[at] = load_often(p.csr_values + at + p.before[p.row_idxs[at]]);
}

/// Of each row: the nonzeros in ELL of that width in it and in the rows before.
Buffer<offset_t> nonzeros_up_to(const Buffer<offset_t>& row_ptrs, offset_t width) {
    Buffer<offset_t> sums(row_ptrs.size() - 1);
    offset_t sum = 0;
    for (std::size_t r = 0; r < sums.size(); ++r) {
        sum += std::min(row_ptrs[r + 1] - row_ptrs[r], width);
        sums[r] = sum;
    }
    return sums;
}

template <class V, class A>
class HybOperator final : public DeviceOperator<V> {
public:
    HybOperator(const Source<V>& a, const DeviceContext& on) : HybOperator(a, hyb_width(a.row_ptrs()), on) {}

    void multiply(const Product<V>& product, cudaStream_t stream) const override {
        const HybSpmv<V, A> p{terms_of<A>(product, this->rows(), this->cols()),
                              ell_.view(),
                              coo_.view(product.workspace),
                              coo_.blocks(),
                              split_.data(),
                              row_sums_.in(product.workspace)};
        launch_dependent(hyb_spmv<V, A>, p.coo_blocks + div_up(std::int64_t{this->rows()}, std::int64_t{kBlockThreads}),
                         kBlockThreads, p, stream);
    }

    void replace_values(const V* csr_values, cudaStream_t stream) override {
        ell_.fill(csr_values, stream);
        const std::int64_t blocks = div_up(std::int64_t{coo_nnz_}, std::int64_t{kElementwiseThreads});
        launch(fill_coo<V>, blocks, kElementwiseThreads,
               CooFill<V>{csr_values, before_coo_.data(), coo_.row_idxs(), coo_nnz_, coo_.values().data()}, stream);
    }

private:
    HybOperator(const Source<V>& a, offset_t width, const DeviceContext& on)
        : HybOperator(a, width, make_coo(a.csr(), width), longer_rows(a.row_ptrs(), width), on) {}
    HybOperator(const Source<V>& a, offset_t width, const Coo<V>& coo, const Buffer<std::uint32_t>& split,
                const DeviceContext& on)
        : HybOperator(a, width, coo, split, blocks_back(coo.row_idxs, kCooBlock), nonzeros_up_to(a.row_ptrs(), width),
                      on) {}
    HybOperator(const Source<V>& a, offset_t width, const Coo<V>& coo, const Buffer<std::uint32_t>& split,
                const Buffer<std::uint32_t>& back, const Buffer<offset_t>& before_coo, const DeviceContext& on)
        : DeviceOperator<V>({.name = "hyb", .rows = a.rows(), .cols = a.cols(), .nnz = a.nnz()}),
          coo_nnz_(coo.nnz()),
          ell_(a, width, on),
          coo_(coo, back, this->layout(), on),
          split_(split, on),
          before_coo_(before_coo, on),
          row_sums_(add_awaited_sums<A>(this->layout(), coo_nnz_ > 0 ? a.rows() : 0)) {
        ExecutedParts parts;
        parts.add({{"ell", "", occupied_tile_rows(a.row_ptrs(), 0, a.rows()), a.nnz() - coo_nnz_, ell_.matrix_bytes()},
                   {"coo", "", tile_rows_of(split), coo_nnz_, coo_.matrix_bytes()}},
                  split_.bytes());
        this->set_parts(ell_.matrix_bytes() + coo_.matrix_bytes() + split_.bytes(),
                        ell_.other_bytes() + before_coo_.bytes(), parts.finish());
        TILESPMV_CUDA(cudaStreamSynchronize(on));  // the host's copies go away
    }

    offset_t coo_nnz_;
    EllBuffers<V> ell_;
    CooBuffers<V, A> coo_;
    DeviceBuffer<std::uint32_t> split_;
    DeviceBuffer<offset_t> before_coo_;  ///< of each row: nonzeros in ELL up to its end, for new values
    WorkspacePart<BitsOf<A>> row_sums_;
};

}  // namespace

/// `Hyb`: a thread a row of ELL, which takes in the row's sum of COO from the blocks before it in the same launch.
template <class V>
std::unique_ptr<Operator<V>> make_hyb_operator(const Source<V>& source, Options& options, const MakeContext& context) {
    const DeviceContext& on = *context.device;
    options.finish();
    return with_accumulator<V>(*context.accumulator, [&]<class A>() -> std::unique_ptr<DeviceOperator<V>> {
        return std::make_unique<HybOperator<V, A>>(source, on);
    });
}

template <class V>
OperatorInfo<V> info_of_hyb() {
    return on_device<V>({.name = "hyb", .summary = "HYB, the first nonzeros of each row as ELL, the others as COO"},
                        make_hyb_operator<V>);
}

#define TILESPMV_INSTANTIATE(V) template OperatorInfo<V> info_of_hyb();
TILESPMV_FOR_EACH_VALUE(TILESPMV_INSTANTIATE)

}  // namespace tilespmv::cuda
