#include "kernels/operators/sell_spmm/sell_spmm_operator.hpp"

#include <algorithm>

#include "kernels/accumulator.hpp"
#include "kernels/cuda/launch.cuh"
#include "kernels/cuda/packed_arrays.hpp"
#include "kernels/cuda/source_arrays.hpp"
#include "kernels/operators/sell_spmm/sell_spmm_kernel.cuh"

namespace tilespmv::cuda {
namespace {

static_assert(kMostPassColumns <= kMostRowColumns);

struct SpmmChoice {
    PieceSlices slices;
    bool is_scattered;
    int pass_columns;
};

template <class V, class A>
class SellSpmmOperator final : public DeviceOperator<V> {
public:
    SellSpmmOperator(const Source<V>& a, const SpmmChoice& choice, const DeviceContext& on)
        : DeviceOperator<V>({.name = "sell-spmm",
                             .rows = a.rows(),
                             .cols = a.cols(),
                             .nnz = a.nnz(),
                             .most_columns = choice.pass_columns}),
          is_scattered_(choice.is_scattered),
          has_long_pieces_(std::ranges::any_of(choice.slices.lengths, [](auto length) { return length > 32; })),
          first_steps_(plan_.add(choice.slices.first_steps)),
          targets_(plan_.add(choice.slices.targets)),
          first_nonzeros_(plan_.add(choice.slices.first_nonzeros)),
          splits_(plan_.add(choice.slices.splits)),
          split_rows_(plan_.add(choice.slices.split_rows)),
          cols_(plan_.template add_room<std::int32_t>(choice.slices.places())),
          values_(plan_.template add_room<V>(choice.slices.places())),
          partials_(this->layout().template add_room<A>(choice.slices.partial_sums() *
                                                        static_cast<std::size_t>(choice.pass_columns))),
          x_rows_(this->layout().template add_room<V>(
              static_cast<std::size_t>(wide_columns(choice.pass_columns) * a.cols()))) {
        const std::size_t bytes = first_steps_.bytes() + targets_.bytes() + splits_.bytes() + split_rows_.bytes() +
                                  cols_.bytes() + values_.bytes();
        this->set_parts(bytes, first_nonzeros_.bytes(),
                        executed_whole("sell", occupied_tile_rows(a.row_ptrs(), 0, a.rows()), a.nnz(), bytes));
        plan_.upload(on);
        const DeviceBuffer<std::uint16_t> lengths(choice.slices.lengths, on);
        const DeviceBuffer<index_t> cols = columns_on_device(a, on);
        const DeviceBuffer<V> values = values_on_device(a, on);
        fill<true>({.csr_values = values.data(), .lengths = lengths.data(), .csr_cols = cols.data()}, on);
    }

    void multiply(const Product<V>& product, cudaStream_t stream) const override {
        const auto rows = static_cast<std::size_t>(this->rows());
        const auto cols = static_cast<std::size_t>(this->cols());
        multiply_block({{product.x, cols, Memory::device},
                        {product.y, rows, Memory::device},
                        product.alpha,
                        product.beta,
                        product.workspace,
                        product.cache_policy},
                       stream);
    }

    void multiply_block(const BlockProduct<V>& product, cudaStream_t stream) const override {
        const int most = is_by_columns(product.x) ? std::min(kMostColumnColumns, most_columns()) : most_columns();
        for (int first = 0; first < product.x.cols; first += most) {
            multiply_pass(product, first, std::min(most, product.x.cols - first), stream);
        }
    }

    void replace_values(const V* csr_values, cudaStream_t stream) override {
        fill<false>({.csr_values = csr_values}, stream);
    }

private:
    [[nodiscard]] int most_columns() const { return this->facts().most_columns; }
    /// So that rows begin at multiples of 16 bytes.
    [[nodiscard]] static std::int64_t wide_columns(int columns) { return div_up(columns, kWide<V>) * kWide<V>; }
    /// Whether X is read where it lies, column by column, by a thread for each piece. A copy to rows, which several
    /// threads read for each piece, pays where columns are scattered, and for more than two columns unless there are
    /// many pieces, for more than four of short rows ("Several columns" in `bench/NOTES.md`).
    [[nodiscard]] bool is_by_columns(const Block<const V>& x) const {
        if (x.layout == Layout::row_major) return false;
        const int columns = std::min(x.cols, most_columns());
        if (columns == 1) return true;
        if (is_scattered_) return false;
        const auto rows = std::int64_t{this->rows()};
        return columns <= 2 || (columns <= 4 && rows > 150'000) || (rows > 500'000 && this->nnz() < 10 * rows);
    }

    void multiply_pass(const BlockProduct<V>& product, int first, int count, cudaStream_t stream) const {
        SpmmPass<V, A> p{terms_of<A>(product, first, count), view(), partials_.in(product.workspace)};
        Block<const V> x = product.x.columns(first, count);
        if (is_by_columns(product.x)) {
            multiply_by_columns(p, stream);
        } else {
            if (x.layout == Layout::column_major) x = copied_to_rows(x, product.workspace, stream);
            p.x = BlockView<const V>(x);
            multiply_by_rows(p, is_wide(x), stream);
        }
        add_splits(p, stream);
    }

    Block<const V> copied_to_rows(const Block<const V>& x, std::byte* workspace, cudaStream_t stream) const {
        V* const rows = x_rows_.in(workspace);
        const std::int64_t ld = wide_columns(x.cols);
        const RowCopy<V> copy{BlockView<const V>(x), rows, ld, static_cast<std::int64_t>(x.rows), x.cols};
        launch_dependent(copy_to_rows<V>, div_up(copy.rows, kCopiedRows), kSpmmThreads, copy, stream);
        return {rows, x.rows, x.cols, static_cast<std::size_t>(ld), Layout::row_major, Memory::device};
    }

    void multiply_by_columns(const SpmmPass<V, A>& p, cudaStream_t stream) const {
        with_columns(p.columns, [&]<int kColumns, int kFlight>() {
            launch_dependent(multiply_x_columns<V, A, kColumns, kFlight>, div_up(p.a.pieces, kSpmmThreads),
                             kSpmmThreads, p, stream);
        });
    }

    void multiply_by_rows(const SpmmPass<V, A>& p, bool is_wide, cudaStream_t stream) const {
        const auto multiply = [&]<class Shape>() {
            launch_dependent(multiply_x_rows<V, A, Shape>, div_up(p.a.pieces * Shape::kLanes, kSpmmThreads),
                             kSpmmThreads, p, stream);
        };
        if (has_long_pieces_) return with_row_shape<V, 4>(p.columns, is_wide, multiply);
        with_row_shape<V, 2>(p.columns, is_wide, multiply);
    }

    void add_splits(const SpmmPass<V, A>& p, cudaStream_t stream) const {
        const SplitSums<V, A> sums{p, plan_.data(splits_), plan_.data(split_rows_),
                                   static_cast<std::int64_t>(splits_.size)};
        launch_dependent(add_split_rows<V, A>, div_up(sums.count * p.columns * kSumLanes, kSpmmThreads), kSpmmThreads,
                         sums, stream);
    }

    [[nodiscard]] DevicePieces<V> view() const {
        return {plan_.data(first_steps_), static_cast<std::int64_t>(targets_.size), plan_.data(targets_),
                plan_.data(cols_), plan_.data(values_)};
    }

    template <bool kWithColumns>
    void fill(PieceFill<V> p, cudaStream_t stream) {
        p.to = view();
        p.cols = plan_.room(cols_);
        p.values = plan_.room(values_);
        p.first_nonzeros = plan_.data(first_nonzeros_);
        launch(fill_pieces<V, kWithColumns>, div_up(p.to.pieces + kSlicePieces, kSpmmThreads), kSpmmThreads, p, stream);
    }

    bool is_scattered_;
    bool has_long_pieces_;
    PackedArrays plan_;
    PackedPart<std::uint64_t> first_steps_;
    PackedPart<std::int32_t> targets_;
    PackedPart<offset_t> first_nonzeros_;
    PackedPart<SplitRow> splits_;
    PackedPart<std::uint32_t> split_rows_;
    PackedPart<std::int32_t> cols_;
    PackedPart<V> values_;
    WorkspacePart<A> partials_;
    WorkspacePart<V> x_rows_;
};

}  // namespace

template <class V>
std::unique_ptr<Operator<V>> make_sell_spmm_operator(const Source<V>& source, Options& options,
                                                     const MakeContext& context) {
    const auto columns = static_cast<int>(options.whole("columns", 8, 1, kMostPassColumns));
    const auto steps = static_cast<int>(options.whole("steps", 0, 1, 1024));
    options.finish();
    return with_accumulator<V>(*context.accumulator, [&]<class A>() -> std::unique_ptr<DeviceOperator<V>> {
        const CsrMatrix<V>& a = source.csr();
        SpmmChoice choice{
            slice_pieces({a.row_ptrs.data(), a.row_ptrs.size()}, steps > 0 ? steps : piece_steps(a.nnz(), a.rows)),
            false, columns};
        choice.is_scattered = is_scattered(choice.slices, {a.col_idxs.data(), a.col_idxs.size()}, sizeof(V));
        return std::make_unique<SellSpmmOperator<V, A>>(source, choice, *context.device);
    });
}

#define TILESPMV_INSTANTIATE(V) \
    template std::unique_ptr<Operator<V>> make_sell_spmm_operator(const Source<V>&, Options&, const MakeContext&);
TILESPMV_FOR_EACH_VALUE(TILESPMV_INSTANTIATE)

}  // namespace tilespmv::cuda
