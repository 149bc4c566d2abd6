#include "kernels/hyb/hyb_operator.hpp"

#include <optional>

#include "kernels/accumulator.hpp"
#include "kernels/coo/coo_buffers.cuh"
#include "kernels/cuda/csr_positions.hpp"
#include "kernels/cuda/device_value_map.cuh"
#include "kernels/cuda/launch.cuh"
#include "kernels/ell/ell_kernel.cuh"
#include "kernels/hyb/hyb.hpp"

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

template <class V, class A>
class HybOperator final : public DeviceOperator<V> {
public:
    HybOperator(const CsrMatrix<V>& a, bool updatable, const DeviceContext& on)
        : HybOperator(a, make_hyb(a, a.values), updatable, on) {}

    [[nodiscard]] std::string_view name() const override { return "hyb"; }
    [[nodiscard]] index_t rows() const override { return rows_; }
    [[nodiscard]] index_t cols() const override { return cols_; }
    [[nodiscard]] offset_t nnz() const override { return nnz_; }
    [[nodiscard]] std::size_t matrix_bytes() const override {
        return ell_bytes() + coo_.matrix_bytes() + split_.bytes();
    }
    [[nodiscard]] std::size_t device_bytes() const override {
        return matrix_bytes() + this->workspace_bytes() + (map_ ? map_->bytes() : 0);
    }
    [[nodiscard]] std::vector<ExecutedPart> executed() const override {
        ExecutedParts parts;
        parts.add({{"ell", "", tile_rows_, nnz_ - coo_nnz_, ell_bytes()},
                   {"coo", "", coo_tile_rows_, coo_nnz_, coo_.matrix_bytes()}},
                  split_.bytes());
        return parts.finish();
    }

    void multiply(const Product<V>& product, cudaStream_t stream) const override {
        const HybSpmv<V, A> p{terms_of<A>(product, rows_, cols_),
                              {columns_.data(), values_.data(), rows_, width_},
                              coo_.view(product.workspace),
                              coo_.blocks(),
                              split_.data(),
                              row_sums_.in(product.workspace)};
        launch_dependent(hyb_spmv<V, A>, p.coo_blocks + div_up(std::int64_t{rows_}, std::int64_t{kBlockThreads}),
                         kBlockThreads, p, stream);
    }

    void replace_values(const V* csr_values, cudaStream_t stream) override {
        if (!map_) throw Error("operator hyb keeps no map for new values; make it with hyb:updatable=1");
        map_->update(csr_values, {&values_, &coo_.values()}, stream);
    }

private:
    HybOperator(const CsrMatrix<V>& a, const Hyb<V>& hyb, bool updatable, const DeviceContext& on)
        : HybOperator(a, hyb, blocks_back(hyb.coo.row_idxs, kCooBlock), updatable, on) {}
    HybOperator(const CsrMatrix<V>& a, const Hyb<V>& hyb, const Buffer<std::uint32_t>& back, bool updatable,
                const DeviceContext& on)
        : rows_(a.rows),
          cols_(a.cols),
          nnz_(a.nnz()),
          coo_nnz_(hyb.coo.nnz()),
          tile_rows_(occupied_tile_rows(a.row_ptrs, 0, a.rows)),
          coo_tile_rows_(hyb.coo_tile_rows()),
          width_(hyb.ell.width),
          columns_(hyb.ell.columns, on),
          values_(hyb.ell.values, on),
          coo_(hyb.coo, back, this->layout(), on),
          split_(hyb.split, on),
          row_sums_(add_awaited_sums<A>(this->layout(), coo_nnz_ > 0 ? rows_ : 0)) {
        TILESPMV_CUDA(cudaStreamSynchronize(on));  // the host's copies go away
        if (!updatable) return;
        const auto positions = [&]<class P>() {
            const Buffer<P> in_order = csr_positions<P>(nnz_);
            auto placed = make_hyb(a, in_order);
            std::vector<Buffer<P>> all;
            all.push_back(std::move(placed.ell.values));
            all.push_back(std::move(placed.coo.values));
            return all;
        };
        with_positions(nnz_, [&]<class P>() { map_.emplace(positions.template operator()<P>(), on); });
    }

    [[nodiscard]] std::size_t ell_bytes() const { return columns_.bytes() + values_.bytes(); }

    index_t rows_;
    index_t cols_;
    offset_t nnz_;
    offset_t coo_nnz_;
    offset_t tile_rows_;
    offset_t coo_tile_rows_;
    offset_t width_;
    DeviceBuffer<index_t> columns_;
    DeviceBuffer<V> values_;
    CooBuffers<V, A> coo_;
    DeviceBuffer<std::uint32_t> split_;
    WorkspacePart<BitsOf<A>> row_sums_;
    std::optional<DeviceValueMap<V>> map_;
};

}  // namespace

template <class V>
std::unique_ptr<DeviceOperator<V>> make_hyb_operator(const MatrixForms<V>& forms, Options& options,
                                                     Accumulator accumulator, const DeviceContext& on) {
    const bool updatable = options.flag("updatable", false);
    options.finish();
    return with_accumulator<V>(accumulator, [&]<class A>() -> std::unique_ptr<DeviceOperator<V>> {
        return std::make_unique<HybOperator<V, A>>(forms.csr(), updatable, on);
    });
}

#define TILESPMV_INSTANTIATE(V)                                                                                 \
    template std::unique_ptr<DeviceOperator<V>> make_hyb_operator(const MatrixForms<V>&, Options&, Accumulator, \
                                                                  const DeviceContext&);
TILESPMV_FOR_EACH_VALUE(TILESPMV_INSTANTIATE)

}  // namespace tilespmv::cuda
