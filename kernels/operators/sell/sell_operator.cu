#include <utility>

#include "kernels/cuda/device_operator.hpp"
#include "kernels/cuda/launch.cuh"
#include "kernels/cuda/packed_arrays.hpp"
#include "kernels/cuda/source_arrays.hpp"
#include "kernels/cuda/this_gpu.hpp"
#include "kernels/operators/sell/device_sell_plan.hpp"
#include "kernels/operators/sell/sell_fill.cuh"
#include "kernels/operators/sell/sell_kernel.cuh"
#include "selector/csr_shapes.hpp"
#include "selector/work_sizes.hpp"

namespace tilespmv::cuda {
namespace {

template <class V, class A, class C>
class SellOperator final : public DeviceOperator<V> {
public:
    /// Takes the arrays of the plan that are on the GPU.
    SellOperator(const Source<V>& a, DeviceSellPlan& plan, DeviceBuffer<offset_t> row_ptrs, const DeviceContext& on)
        : DeviceOperator<V>({.name = "sell", .rows = a.rows(), .cols = a.cols(), .nnz = a.nnz()}),
          slices_(plan_.add(std::move(plan.slices))),
          row_idxs_(plan_.add(std::move(plan.rows))),
          row_ptrs_(plan_.add(std::move(row_ptrs))),
          splits_(plan_.add(plan.splits)),
          split_of_(plan_.add(plan.split_of)),
          empty_(plan_.add(std::move(plan.empty))),
          codes_(plan_.template add_room<C>(places_of(plan.steps))),
          values_(plan_.template add_room<V>(places_of(plan.steps))),
          partials_(add_awaited_sums<A>(
              this->layout(), div_up(static_cast<std::int64_t>(plan.split_of.size()), std::int64_t{kSellWarps}))) {
        const std::size_t bytes =
            slices_.bytes() + row_idxs_.bytes() + split_of_.bytes() + codes_.bytes() + values_.bytes() + empty_.bytes();
        this->set_parts(bytes, row_ptrs_.bytes() + splits_.bytes(),
                        executed_whole("sell", tile_rows_of(a), a.nnz(), bytes));
        plan_.upload(on);  // what is not pinned has been read when copies return
        const CsrToRead<V> csr(a, on);
        fill<true>({.csr_values = csr.values(), .csr_cols = csr.columns()}, on);
    }

    void multiply(const Product<V>& product, cudaStream_t stream) const override {
        SellSpmv<V, A, C> p;
        static_cast<ProductTerms<V, A>&>(p) = terms_of<A>(product, this->rows(), this->cols());
        p.a = view();
        p.partials = partials_.in(product.workspace);
        launch_dependent(sell_spmv<V, A, C>, blocks_of(p.a), kSellThreads, p, stream);
    }

    void replace_values(const V* csr_values, cudaStream_t stream) override {
        fill<false>({.csr_values = csr_values}, stream);
    }

protected:
    bool write_csr(const CsrToWrite<V>& to, cudaStream_t stream) const override {
        SellToCsr<V, C> p;
        p.to = view();
        p.row_ptrs = plan_.data(row_ptrs_);
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
    PackedPart<C> codes_;
    PackedPart<V> values_;
    WorkspacePart<BitsOf<A>> partials_;
};

}  // namespace

/// Sliced ELL of rows sorted by their lengths (`SellPlan`), made from CSR alone; columns in 16 bits where they fit.
/// Option: steps (the most of a slice, 1 to 1024; otherwise by the number of nonzeros).
template <class V>
std::unique_ptr<Operator<V>> make_sell_operator(const Source<V>& source, Options& options, const MakeContext& context) {
    const DeviceContext& on = *context.device;
    const auto steps = static_cast<int>(options.whole("steps", 0, 1, 1024));
    options.finish();
    return with_accumulator<V>(*context.accumulator, [&]<class A>() -> std::unique_ptr<DeviceOperator<V>> {
        const Gpu gpu = this_gpu(sizeof(V));
        const RowLengths& lengths = source.row_statistics().rounds;
        const std::size_t code_bytes = sell_code_bytes(source.cols());
        const auto lanes_of = [&](int most) { return rounds_of(lengths, {most, 1}).lanes; };
        const SliceLimits limits{
            .most_steps = steps > 0 ? steps : sell_steps(source.cols(), source.nnz(), sizeof(V), lanes_of, gpu),
            .flight = sell_flight(sizeof(V), code_bytes),
            .block_warps = kSellWarps};
        DeviceBuffer<offset_t> row_ptrs = row_ptrs_on_device(source, on);
        DeviceSellPlan plan = make_sell_plan_there(row_ptrs, limits, on);
        count_bytes_to_host(source, plan.bytes_to_host);
        if (code_bytes == sizeof(std::uint16_t))
            return std::make_unique<SellOperator<V, A, std::uint16_t>>(source, plan, std::move(row_ptrs), on);
        return std::make_unique<SellOperator<V, A, std::uint32_t>>(source, plan, std::move(row_ptrs), on);
    });
}

template <class V>
OperatorInfo<V> info_of_sell() {
    return on_device<V>(
        {.name = "sell",
         .summary = "sliced ELL, rows sorted by length, 1 to 32 lanes a row, for uneven rows; steps=N: most steps of a "
                    "slice",
         .sweeps = "steps=4|8|16|32|64"},
        make_sell_operator<V>);
}

#define TILESPMV_INSTANTIATE(V) template OperatorInfo<V> info_of_sell();
TILESPMV_FOR_EACH_VALUE(TILESPMV_INSTANTIATE)

}  // namespace tilespmv::cuda
