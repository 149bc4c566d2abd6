#include "kernels/sell/sell_operator.hpp"

#include <limits>
#include <optional>

#include "kernels/accumulator.hpp"
#include "kernels/cuda/device_buffer.hpp"
#include "kernels/cuda/launch.cuh"
#include "kernels/cuda/split_buffers.cuh"
#include "kernels/cuda/this_gpu.hpp"
#include "kernels/sell/hubs.hpp"
#include "kernels/sell/sell_kernel.cuh"
#include "selector/work_sizes.hpp"
#include "tile/parallel.hpp"

namespace tilespmv::cuda {
namespace {

/// What the operator is made with; nothing: chosen.
struct SellChoice {
    std::optional<int> steps;
    std::optional<index_t> hubs;
};

template <class V>
Buffer<index_t> hubs_of(const CsrMatrix<V>& a, std::optional<index_t> wanted, const Gpu& gpu) {
    HubTuning tuning = gpu.tuning.hubs;
    if (wanted) {
        tuning.max_hubs = *wanted;
        tuning.min_nonzeros = 0;
        tuning.min_share = 0;
        tuning.min_scattered = 0;
        tuning.near_bytes = 0;
    }
    return choose_hubs(a.col_idxs, a.cols, sizeof(V), tuning);
}

/// The code of each column; none if there are no hubs.
Buffer<std::uint32_t> codes_of(index_t cols, const Buffer<index_t>& hubs) {
    if (hubs.empty()) return {};
    const auto count = static_cast<std::uint32_t>(hubs.size());
    Buffer<std::uint32_t> codes(static_cast<std::size_t>(cols));
    parallel_for(0, cols, 1 << 16, [&](std::int64_t c) { codes[c] = count + static_cast<std::uint32_t>(c); });
    for (std::uint32_t i = 0; i < count; ++i) codes[static_cast<std::size_t>(hubs[i])] = i;
    return codes;
}

template <class V, class A>
class SellOperator final : public DeviceOperator<V> {
public:
    SellOperator(const CsrMatrix<V>& a, const SellChoice& choice, const Gpu& gpu, const DeviceContext& on)
        : SellOperator(a, make_sell_plan(a.row_ptrs, choice.steps.value_or(sell_steps(a.nnz(), gpu))),
                       hubs_of(a, choice.hubs, gpu), on) {}

    [[nodiscard]] std::string_view name() const override { return "sell"; }
    [[nodiscard]] index_t rows() const override { return rows_; }
    [[nodiscard]] index_t cols() const override { return cols_; }
    [[nodiscard]] offset_t nnz() const override { return nnz_; }
    [[nodiscard]] std::size_t matrix_bytes() const override {
        return slices_.bytes() + row_idxs_.bytes() + split_of_.bytes() + codes_.bytes() + values_.bytes() +
               empty_.bytes() + hubs_.bytes();
    }
    [[nodiscard]] std::size_t device_bytes() const override {
        return matrix_bytes() + row_ptrs_.bytes() + splits_.bytes() + this->workspace_bytes();
    }
    [[nodiscard]] std::vector<ExecutedPart> executed() const override {
        return executed_whole("sell", tile_rows_, nnz_, matrix_bytes());
    }

    void multiply(const Product<V>& product, cudaStream_t stream) const override {
        SellSpmv<V, A> p;
        static_cast<ProductTerms<V, A>&>(p) = terms_of<A>(product, rows_, cols_);
        splits_.put(p, product.workspace);
        p.a = view();
        p.hub_x = hub_x_.in(product.workspace);
        const std::int64_t warps = p.a.slice_count + div_up(p.a.empty_words, std::int64_t{kEmptyWords});
        const std::int64_t blocks = div_up(warps, std::int64_t{kSellWarps});
        if (hubs_.empty()) return launch_dependent(sell_spmv<V, A, false>, blocks, kSellThreads, p, stream);
        const std::int64_t copies = div_up(std::int64_t{p.a.hub_count}, std::int64_t{kElementwiseThreads});
        launch_dependent(gather_hubs<V, A>, copies, kElementwiseThreads, p, stream);
        launch_dependent(sell_spmv<V, A, true>, blocks, kSellThreads, p, stream);
    }

    void replace_values(const V* csr_values, cudaStream_t stream) override {
        fill<false>({.csr_values = csr_values}, stream);
    }

private:
    SellOperator(const CsrMatrix<V>& a, const SellPlan& plan, const Buffer<index_t>& hubs, const DeviceContext& on)
        : rows_(a.rows),
          cols_(a.cols),
          nnz_(a.nnz()),
          tile_rows_(occupied_tile_rows(a.row_ptrs, 0, a.rows)),
          slices_(upload(plan.slices, on)),
          row_idxs_(plan.rows, on),
          row_ptrs_(a.row_ptrs, on),
          split_of_(upload(plan.split_of, on)),
          empty_(plan.empty, on),
          hubs_(hubs, on),
          codes_(plan.places(), on),
          values_(plan.places(), on),
          splits_(plan.splits, plan.pieces(), this->layout(), on),
          hub_x_(this->layout().template add<V>(hubs.size(), 0)) {
        const Buffer<std::uint32_t> code_of = codes_of(a.cols, hubs);
        const DeviceBuffer<std::uint32_t> device_code_of(code_of, on);
        const DeviceBuffer<index_t> cols(a.col_idxs, on);
        const DeviceBuffer<V> values(a.values, on);
        fill<true>({.csr_values = values.data(), .csr_cols = cols.data(), .code_of = device_code_of.data()}, on);
        TILESPMV_CUDA(cudaStreamSynchronize(on));  // the host's copies go away
    }

    template <bool kWithCodes>
    void fill(SellFill<V> p, cudaStream_t stream) {
        p.slices = slices_.data();
        p.slice_count = static_cast<std::int64_t>(slices_.size());
        p.pieces = static_cast<std::int64_t>(split_of_.size());
        p.rows = row_idxs_.data();
        p.split_of = split_of_.data();
        p.splits = splits_.splits();
        p.row_ptrs = row_ptrs_.data();
        p.values = values_.data();
        p.codes = codes_.data();
        launch(fill_sell<V, kWithCodes>, div_up(p.slice_count, std::int64_t{kSellWarps}), kSellThreads, p, stream);
    }

    [[nodiscard]] DeviceSell<V> view() const {
        return {.slices = slices_.data(),
                .slice_count = static_cast<std::int64_t>(slices_.size()),
                .pieces = static_cast<std::int64_t>(split_of_.size()),
                .rows = row_idxs_.data(),
                .split_of = split_of_.data(),
                .codes = codes_.data(),
                .values = values_.data(),
                .empty = empty_.data(),
                .empty_words = static_cast<std::int64_t>(empty_.size()),
                .hubs = hubs_.data(),
                .hub_count = static_cast<unsigned>(hubs_.size())};
    }

    index_t rows_;
    index_t cols_;
    offset_t nnz_;
    offset_t tile_rows_;
    DeviceBuffer<SellSlice> slices_;
    DeviceBuffer<std::uint32_t> row_idxs_;
    DeviceBuffer<offset_t> row_ptrs_;
    DeviceBuffer<std::uint32_t> split_of_;
    DeviceBuffer<std::uint32_t> empty_;
    DeviceBuffer<index_t> hubs_;
    DeviceBuffer<std::uint32_t> codes_;
    DeviceBuffer<V> values_;
    SplitBuffers<A> splits_;
    WorkspacePart<V> hub_x_;
};

}  // namespace

template <class V>
std::unique_ptr<DeviceOperator<V>> make_sell_operator(const MatrixForms<V>& forms, Options& options,
                                                      Accumulator accumulator, const DeviceContext& on) {
    constexpr std::int64_t most = std::numeric_limits<index_t>::max();
    const auto steps = static_cast<int>(options.whole("steps", 0, 1, 1024));
    const auto hubs = static_cast<index_t>(options.whole("hubs", -1, 0, most));
    options.finish();
    const SellChoice choice{steps > 0 ? std::optional(steps) : std::nullopt,
                            hubs >= 0 ? std::optional(hubs) : std::nullopt};
    return with_accumulator<V>(accumulator, [&]<class A>() -> std::unique_ptr<DeviceOperator<V>> {
        return std::make_unique<SellOperator<V, A>>(forms.csr(), choice, this_gpu(sizeof(V)), on);
    });
}

#define TILESPMV_INSTANTIATE(V)                                                                                  \
    template std::unique_ptr<DeviceOperator<V>> make_sell_operator(const MatrixForms<V>&, Options&, Accumulator, \
                                                                   const DeviceContext&);
TILESPMV_FOR_EACH_VALUE(TILESPMV_INSTANTIATE)

}  // namespace tilespmv::cuda
