#include <limits>
#include <optional>
#include <type_traits>

#include "kernels/cuda/device_operator.hpp"
#include "kernels/cuda/gather.hpp"
#include "kernels/cuda/launch.cuh"
#include "kernels/cuda/packed_arrays.hpp"
#include "kernels/cuda/source_arrays.hpp"
#include "kernels/cuda/this_gpu.hpp"
#include "kernels/operators/sell/device_sell_plan.hpp"
#include "kernels/operators/sell/hubs.hpp"
#include "kernels/operators/sell/sell_fill.cuh"
#include "kernels/operators/sell/sell_hubs_kernel.cuh"
#include "selector/csr_shapes.hpp"
#include "selector/work_sizes.hpp"
#include "tile/parallel.hpp"

namespace tilespmv::cuda {
namespace {

/// Only where there may be hubs are columns read: a sample, which is then copied to the host from a GPU.
template <class V>
Buffer<index_t> hubs_of(const Source<V>& a, std::optional<index_t> wanted, const Gpu& gpu, const DeviceContext& on) {
    HubTuning tuning = gpu.tuning.hubs;
    if (wanted) {
        tuning.max_hubs = *wanted;
        tuning.min_nonzeros = 0;
        tuning.min_share = 0;
        tuning.min_scattered = 0;
        tuning.near_bytes = 0;
    }
    if (!may_have_hubs(a.nnz(), a.cols(), sizeof(V), tuning)) return {};
    const auto* const there = csr_only_on_device(a);
    if (there == nullptr) return choose_hubs(a.csr().col_idxs, a.cols(), sizeof(V), tuning);
    HubSample sample = hub_sample({there->col_idxs, static_cast<std::size_t>(there->nnz)}, tuning);
    const Buffer<index_t> stretches = gather(sample.stretches, on);
    const Buffer<index_t> scattered = gather(sample.scattered, on);
    a.add_bytes_to_host(stretches.bytes() + scattered.bytes());
    sample.stretches = ranges_in(stretches, sample.stretches);
    sample.scattered = ranges_in(scattered, sample.scattered);
    return choose_hubs(sample, a.cols(), sizeof(V), tuning);
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

template <class V, class A, class C>
class SellOperator final : public DeviceOperator<V> {
public:
    /// Plan: a `SellPlan` or a `DeviceSellPlan`.
    template <class Plan, class RowPtrs>
    SellOperator(const Source<V>& a, const Plan& plan, const RowPtrs& row_ptrs, const Buffer<index_t>& hubs,
                 const DeviceContext& on)
        : DeviceOperator<V>({.name = "sell", .rows = a.rows(), .cols = a.cols(), .nnz = a.nnz()}),
          slices_(plan_.add(plan.slices)),
          row_idxs_(plan_.add(plan.rows)),
          row_ptrs_(plan_.add(row_ptrs)),
          splits_(plan_.add(plan.splits)),
          split_of_(plan_.add(plan.split_of)),
          empty_(plan_.add(plan.empty)),
          hubs_(plan_.add(hubs)),
          codes_(plan_.template add_room<C>(places_of(plan.steps))),
          values_(plan_.template add_room<V>(places_of(plan.steps))),
          partials_(add_awaited_sums<A>(
              this->layout(), div_up(static_cast<std::int64_t>(plan.split_of.size()), std::int64_t{kSellWarps}))),
          hub_x_(this->layout().template add_room<V>(hubs.size())) {
        const std::size_t bytes = slices_.bytes() + row_idxs_.bytes() + split_of_.bytes() + codes_.bytes() +
                                  values_.bytes() + empty_.bytes() + hubs_.bytes();
        this->set_parts(bytes, row_ptrs_.bytes() + splits_.bytes(),
                        executed_whole("sell", tile_rows_of(a), a.nnz(), bytes));
        plan_.upload(on);  // what is not pinned has been read when copies return
        const Buffer<std::uint32_t> code_of = codes_of(a.cols(), hubs);
        const DeviceBuffer<std::uint32_t> device_code_of(code_of, on);
        const CsrToRead<V> csr(a, on);
        fill<true>({.csr_values = csr.values(), .csr_cols = csr.columns(), .code_of = device_code_of.data()}, on);
    }

    void multiply(const Product<V>& product, cudaStream_t stream) const override {
        SellSpmv<V, A, C> p;
        static_cast<ProductTerms<V, A>&>(p) = terms_of<A>(product, this->rows(), this->cols());
        p.a = view();
        p.partials = partials_.in(product.workspace);
        if (!hubs_.empty()) {
            launch_with_hubs(p, hub_x_.in(product.workspace), stream);
        } else {
            launch_dependent(sell_spmv<V, A, C>, blocks_of(p.a), kSellThreads, p, stream);
        }
    }

    void replace_values(const V* csr_values, cudaStream_t stream) override {
        fill<false>({.csr_values = csr_values}, stream);
    }

protected:
    bool write_csr(const CsrToWrite<V>& to, cudaStream_t stream) const override {
        SellToCsr<V, C> p;
        p.to = view();
        p.row_ptrs = plan_.data(row_ptrs_);
        p.hubs = plan_.data(hubs_);
        p.hub_count = static_cast<std::uint32_t>(hubs_.size);
        p.csr = to;
        copy_there(to.row_ptrs, p.row_ptrs, row_ptrs_.size, stream);
        launch(read_sell<V, C>, div_up(p.to.slice_count, std::int64_t{kSellWarps}), kSellThreads, p, stream);
        return true;
    }

private:
    static std::size_t places_of(std::uint64_t steps) { return steps * kSliceLanes; }
    static std::int64_t blocks_of(const DeviceSell<V, C>& a) {
        return div_up(a.slice_count + div_up(a.empty_words, std::int64_t{kEmptyWords}), std::int64_t{kSellWarps});
    }

    void launch_with_hubs(const SellSpmv<V, A, C>& all, V* hub_x, cudaStream_t stream) const {
        if constexpr (std::is_same_v<C, std::uint32_t>) {
            const HubSellSpmv<V, A> p{all, plan_.data(hubs_), static_cast<unsigned>(hubs_.size), hub_x};
            const std::int64_t copies = div_up(std::int64_t{p.hub_count}, std::int64_t{kElementwiseThreads});
            launch_dependent(gather_hubs<V, A>, copies, kElementwiseThreads, p, stream);
            launch_dependent(sell_hubs_spmv<V, A>, blocks_of(all.a), kSellThreads, p, stream);
        }
    }

    template <bool kWithCodes>
    void fill(SellFill<V, C> p, cudaStream_t stream) {
        p.to = view();
        p.values = plan_.room(values_);
        p.codes = plan_.room(codes_);
        p.row_ptrs = plan_.data(row_ptrs_);
        launch(fill_sell<V, C, kWithCodes>, div_up(p.to.slice_count, std::int64_t{kSellWarps}), kSellThreads, p,
               stream);
    }

    [[nodiscard]] DeviceSell<V, C> view() const {
        return {.slices = plan_.data(slices_),
                .slice_count = static_cast<std::int64_t>(slices_.size),
                .pieces = static_cast<std::int64_t>(split_of_.size),
                .rows = plan_.data(row_idxs_),
                .splits = plan_.data(splits_),
                .split_of = plan_.data(split_of_),
                .codes = plan_.data(codes_),
                .values = plan_.data(values_),
                .empty = plan_.data(empty_),
                .empty_words = static_cast<std::int64_t>(empty_.size)};
    }

    PackedArrays plan_;
    PackedPart<SellSlice> slices_;
    PackedPart<std::uint32_t> row_idxs_;
    PackedPart<offset_t> row_ptrs_;
    PackedPart<SplitRow> splits_;
    PackedPart<std::uint32_t> split_of_;
    PackedPart<std::uint32_t> empty_;
    PackedPart<index_t> hubs_;
    PackedPart<C> codes_;
    PackedPart<V> values_;
    WorkspacePart<BitsOf<A>> partials_;
    WorkspacePart<V> hub_x_;
};

}  // namespace

/// Sliced ELL of rows sorted by their lengths (`SellPlan`), made from CSR alone; columns in 16 bits where they fit.
/// Options: steps (the most of a slice, 1 to 1024; otherwise by the number of nonzeros), hubs (of how many columns,
/// those of the most nonzeros, x is copied into one place before each product, by a kernel of its own; otherwise those
/// that pay, by `HubTuning`).
template <class V>
std::unique_ptr<Operator<V>> make_sell_operator(const Source<V>& source, Options& options, const MakeContext& context) {
    const DeviceContext& on = *context.device;
    constexpr std::int64_t most = std::numeric_limits<index_t>::max();
    const auto steps = static_cast<int>(options.whole("steps", 0, 1, 1024));
    const auto hubs = static_cast<index_t>(options.whole("hubs", -1, 0, most));
    options.finish();
    return with_accumulator<V>(*context.accumulator, [&]<class A>() -> std::unique_ptr<DeviceOperator<V>> {
        const Gpu gpu = this_gpu(sizeof(V));
        const RowLengths& lengths = source.row_statistics().rounds;
        const Buffer<index_t> hub_cols = hubs_of(source, hubs >= 0 ? std::optional(hubs) : std::nullopt, gpu, on);
        const bool is_narrow = hub_cols.empty() && sell_code_bytes(source.cols()) == sizeof(std::uint16_t);
        const auto lanes_of = [&](int most) { return rounds_of(lengths, {most, 1}).lanes; };
        const SliceLimits limits{
            .most_steps = steps > 0 ? steps : sell_steps(source.cols(), source.nnz(), sizeof(V), lanes_of, gpu),
            .flight = sell_flight(sizeof(V), is_narrow ? sizeof(std::uint16_t) : sizeof(std::uint32_t)),
            .block_warps = kSellWarps};
        const auto make = [&](const auto& plan, const auto& row_ptrs) -> std::unique_ptr<DeviceOperator<V>> {
            if (is_narrow)
                return std::make_unique<SellOperator<V, A, std::uint16_t>>(source, plan, row_ptrs, hub_cols, on);
            return std::make_unique<SellOperator<V, A, std::uint32_t>>(source, plan, row_ptrs, hub_cols, on);
        };
        if (is_planned_on_host(source)) {
            const Buffer<offset_t>& row_ptrs = source.row_ptrs();
            return make(make_sell_plan({row_ptrs.data(), row_ptrs.size()}, limits), row_ptrs);
        }
        const DeviceBuffer<offset_t> row_ptrs = row_ptrs_on_device(source, on);
        const DeviceSellPlan plan = make_sell_plan_there(row_ptrs, limits, on);
        count_bytes_to_host(source, plan.bytes_to_host);
        return make(plan, row_ptrs);
    });
}

template <class V>
OperatorInfo<V> info_of_sell() {
    return on_device<V>(
        {.name = "sell",
         .summary = "sliced ELL, rows sorted by length, 1 to 32 lanes a row, for uneven rows; steps=N: most steps of a "
                    "slice, hubs=N: most columns whose x is copied side by side",
         .sweeps = "steps=4|8|16|32|64,hubs=0|16384|65536"},
        make_sell_operator<V>);
}

#define TILESPMV_INSTANTIATE(V) template OperatorInfo<V> info_of_sell();
TILESPMV_FOR_EACH_VALUE(TILESPMV_INSTANTIATE)

}  // namespace tilespmv::cuda
