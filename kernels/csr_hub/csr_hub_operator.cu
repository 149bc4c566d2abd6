#include "kernels/csr_hub/csr_hub_operator.hpp"

#include <optional>

#include "kernels/accumulator.hpp"
#include "kernels/csr_hub/csr_hub_kernel.cuh"
#include "kernels/cuda/combine.hpp"
#include "kernels/cuda/device_buffer.hpp"
#include "kernels/cuda/launch.cuh"
#include "kernels/cuda/split_buffers.cuh"
#include "kernels/cuda/this_gpu.hpp"

namespace tilespmv::cuda {
namespace {

/// Bytes that a block has for x of the hubs, as `hub_words` counts them.
template <class A>
std::size_t hub_room(const Gpu& gpu) {
    return static_cast<std::size_t>(gpu.block_shared_bytes) - sizeof(HubStage<A>);
}

template <class V, class A>
CsrHub make_form(const CsrMatrix<V>& a, std::optional<index_t> hubs, const Gpu& gpu) {
    const HubTuning& tuning = gpu.tuning.hubs;
    const auto room = static_cast<index_t>(hub_room<A>(gpu) / sizeof(uint4) * (sizeof(uint4) / sizeof(V)) - 1);
    HubLimits limits = hub_limits(room, sizeof(V), gpu.multiprocessors, tuning);
    if (hubs) limits = {.max_hubs = std::min(*hubs, limits.max_hubs)};
    return make_csr_hub(a.row_ptrs, a.cols, a.col_idxs, choose_hubs(a.col_idxs, a.cols, limits),
                        {gpu.multiprocessors * kHubWarps, static_cast<int>(sizeof(V)), tuning.gather_bytes});
}

template <class V, class A>
class CsrHubOperator final : public DeviceOperator<V> {
public:
    CsrHubOperator(const CsrMatrix<V>& a, std::optional<index_t> hubs, const Gpu& gpu, const DeviceContext& on)
        : CsrHubOperator(a, make_form<V, A>(a, hubs, gpu), gpu, on) {}

    [[nodiscard]] std::string_view name() const override { return "csr-hub"; }
    [[nodiscard]] index_t rows() const override { return rows_; }
    [[nodiscard]] index_t cols() const override { return cols_; }
    [[nodiscard]] offset_t nnz() const override { return nnz_; }
    [[nodiscard]] std::size_t matrix_bytes() const override {
        return hubs_.bytes() + first_rows_.bytes() + lanes_.bytes() + lows_.bytes() + highs_.bytes() + filled_.bytes() +
               runs_.bytes() + values_.bytes();
    }
    [[nodiscard]] std::size_t device_bytes() const override {
        return matrix_bytes() + sources_.bytes() + this->workspace_bytes();
    }
    [[nodiscard]] std::vector<ExecutedPart> executed() const override {
        ExecutedParts parts;
        parts.add({{"csr-hub", "hubs", hub_tile_rows_, hub_nonzeros_, 0},
                   {"csr-hub", "others", other_tile_rows_, nnz_ - hub_nonzeros_, 0}},
                  matrix_bytes());
        return parts.finish();
    }

    void multiply(const Product<V>& product, cudaStream_t stream) const override {
        if (nnz_ == 0) return launch_scale<V>(product.y, rows_, product.beta, stream);
        const auto hubs = static_cast<std::int64_t>(hubs_.size());
        const HubSpmv<V, A> p{terms_of<A>(product, rows_, cols_), view(), hub_x_.in(product.workspace),
                              partials_.in(product.workspace)};
        launch_dependent(gather_hubs<V, A>, div_up(hubs, kElementwiseThreads), kElementwiseThreads, p, stream);
        launch_dependent(kernel(), blocks_, kHubThreads, p, stream, hub_bytes());
    }

    void replace_values(const V* csr_values, cudaStream_t stream) override {
        const HubValues<V> p{csr_values, sources_.data(), values_.data()};
        launch(place_hub_values<V>, static_cast<std::int64_t>(first_rows_.size()) - 1, kHubTile, p, stream);
    }

private:
    CsrHubOperator(const CsrMatrix<V>& a, const CsrHub& form, const Gpu& gpu, const DeviceContext& on)
        : CsrHubOperator(a, form, in_csr_hub<V>(form, a.values), gpu, on) {}
    CsrHubOperator(const CsrMatrix<V>& a, const CsrHub& form, const Buffer<V>& values, const Gpu& gpu,
                   const DeviceContext& on)
        : rows_(a.rows),
          cols_(a.cols),
          nnz_(a.nnz()),
          hub_nonzeros_(form.hub_nonzeros),
          hub_tile_rows_(form.hub_tile_rows),
          other_tile_rows_(form.other_tile_rows),
          has_wide_codes_(form.high_bytes == 2),
          hubs_(form.hubs, on),
          first_rows_(form.first_rows, on),
          sources_(form.sources, on),
          lanes_(form.lanes, on),
          lows_(form.lows, on),
          highs_(form.highs, on),
          filled_(form.filled, on),
          runs_(upload(form.runs, on)),
          values_(values, on),
          blocks_(std::min<std::int64_t>(gpu.multiprocessors, run_count())),
          hub_x_(this->layout().template add<BitsOf<V>>(hub_bytes() / sizeof(V), 0)),
          partials_(add_awaited_sums<A>(this->layout(), run_count())) {
        // The most there is: other operators share the kernel.
        const auto room = static_cast<int>(hub_room<A>(gpu));
        TILESPMV_CUDA(cudaFuncSetAttribute(kernel(), cudaFuncAttributeMaxDynamicSharedMemorySize, room));
        TILESPMV_CUDA(cudaStreamSynchronize(on));  // the host's copies go away
    }

    [[nodiscard]] std::int64_t run_count() const { return static_cast<std::int64_t>(runs_.size()) - 1; }
    [[nodiscard]] std::size_t hub_bytes() const {
        return static_cast<std::size_t>(hub_words<V>(static_cast<unsigned>(hubs_.size()))) * sizeof(uint4);
    }

    [[nodiscard]] auto kernel() const {
        return has_wide_codes_ ? csr_hub_spmv<V, A, std::uint16_t> : csr_hub_spmv<V, A, std::uint8_t>;
    }

    [[nodiscard]] DeviceCsrHub<V> view() const {
        return {hubs_.data(),       static_cast<unsigned>(hubs_.size()),
                first_rows_.data(), lanes_.data(),
                lows_.data(),       highs_.data(),
                values_.data(),     filled_.data(),
                runs_.data(),       static_cast<unsigned>(run_count())};
    }

    index_t rows_;
    index_t cols_;
    offset_t nnz_;
    offset_t hub_nonzeros_;
    offset_t hub_tile_rows_;
    offset_t other_tile_rows_;
    bool has_wide_codes_;
    DeviceBuffer<index_t> hubs_;
    DeviceBuffer<std::uint32_t> first_rows_;
    DeviceBuffer<offset_t> sources_;
    DeviceBuffer<HubLane> lanes_;
    DeviceBuffer<std::uint16_t> lows_;
    DeviceBuffer<std::uint8_t> highs_;
    DeviceBuffer<std::uint32_t> filled_;
    DeviceBuffer<HubRun> runs_;
    DeviceBuffer<V> values_;
    std::int64_t blocks_;
    WorkspacePart<BitsOf<V>> hub_x_;
    WorkspacePart<BitsOf<A>> partials_;
};

}  // namespace

template <class V>
std::unique_ptr<DeviceOperator<V>> make_csr_hub_operator(const MatrixForms<V>& forms, Options& options,
                                                         Accumulator accumulator, const DeviceContext& on) {
    constexpr std::int64_t most = std::numeric_limits<index_t>::max();
    const auto given = static_cast<index_t>(options.whole("hubs", -1, 0, most));
    options.finish();
    const auto hubs = given < 0 ? std::nullopt : std::optional(given);
    return with_accumulator<V>(accumulator, [&]<class A>() -> std::unique_ptr<DeviceOperator<V>> {
        return std::make_unique<CsrHubOperator<V, A>>(forms.csr(), hubs, this_gpu(sizeof(V)), on);
    });
}

#define TILESPMV_INSTANTIATE(V)                                                                                     \
    template std::unique_ptr<DeviceOperator<V>> make_csr_hub_operator(const MatrixForms<V>&, Options&, Accumulator, \
                                                                      const DeviceContext&);
TILESPMV_FOR_EACH_VALUE(TILESPMV_INSTANTIATE)

}  // namespace tilespmv::cuda
