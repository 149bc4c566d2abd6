#include <algorithm>

#include "kernels/cuda/block_to_rows.cuh"
#include "kernels/cuda/device_operator.hpp"
#include "kernels/cuda/launch.cuh"
#include "kernels/cuda/packed_arrays.hpp"
#include "kernels/cuda/source_arrays.hpp"
#include "kernels/operators/sell_spmm/sell_spmm_kernel.cuh"

namespace tilespmv::cuda {
namespace {

template <class V, class A>
class SellSpmmOperator final : public DeviceOperator<V> {
public:
    SellSpmmOperator(const Source<V>& a, const PieceSlices& slices, bool is_scattered, const DeviceContext& on)
        : DeviceOperator<V>({.name = "sell-spmm",
                             .rows = a.rows(),
                             .cols = a.cols(),
                             .nnz = a.nnz(),
                             .most_columns = kMostRowColumns}),
          is_scattered_(is_scattered),
          has_long_pieces_(std::ranges::any_of(slices.lengths, [](auto length) { return length > 32; })),
          long_splits_(slices.long_splits),
          first_steps_(plan_.add(slices.first_steps)),
          most_rows_(slices.most_rows),
          targets_(plan_.add(slices.targets)),
          heights_(plan_.add(slices.heights)),
          first_nonzeros_(plan_.add(slices.first_nonzeros)),
          row_lengths_(plan_.add(slices.row_lengths)),
          splits_(plan_.add(slices.splits)),
          split_rows_(plan_.add(slices.split_rows)),
          cols_(plan_.template add_room<std::int32_t>(slices.places())),
          values_(plan_.template add_room<V>(slices.places() * static_cast<std::size_t>(most_rows_))),
          partials_(this->layout().template add_room<A>(slices.partial_sums * kMostRowColumns)),
          has_rows_apart_(static_cast<std::size_t>(a.rows()) * 8 * sizeof(V) >= kCachedBytes && are_rows_apart(slices)),
          copied_columns_(copied_columns<V>(cols_.bytes() + values_.bytes(), std::max(a.rows(), a.cols()))),
          x_rows_(room_for_copy(a.cols())),
          y_rows_(room_for_copy(has_rows_apart_ ? a.rows() : 0)) {
        const std::size_t bytes = first_steps_.bytes() + targets_.bytes() + heights_.bytes() + splits_.bytes() +
                                  split_rows_.bytes() + cols_.bytes() + values_.bytes();
        this->set_parts(bytes, first_nonzeros_.bytes() + row_lengths_.bytes(),
                        executed_whole("sell", occupied_tile_rows(a.row_ptrs(), 0, a.rows()), a.nnz(), bytes));
        plan_.upload(on);
        const DeviceBuffer<std::uint16_t> lengths(slices.lengths, on);
        const DeviceBuffer<index_t> cols = columns_on_device(a, on);
        const DeviceBuffer<V> values = values_on_device(a, on);
        fill<true>({.csr_values = values.data(), .lengths = lengths.data(), .csr_cols = cols.data()}, on);
    }

    void multiply(const Product<V>& product, cudaStream_t stream) const override {
        multiply_block(one_column(product, this->rows(), this->cols()), stream);
    }

    void multiply_block(const BlockProduct<V>& product, cudaStream_t stream) const override {
        const bool by_columns = is_by_columns(product.x);
        const bool has_copies = !by_columns && (product.x.layout == Layout::column_major || goes_by_rows(product.y));
        const int most = by_columns ? kMostColumnColumns : has_copies ? copied_columns_ : kMostRowColumns;
        for (int first = 0; first < product.x.cols; first += most) {
            const int count = std::min(most, product.x.cols - first);
            SpmmPass<V, A> p{terms_of<A>(product, first, count), view(), partials_.in(product.workspace)};
            const Block<V> y = product.y.columns(first, count);
            const bool is_y_copied = !by_columns && goes_by_rows(y);
            if (is_y_copied) write_to_rows(p, y, product, stream);
            if (by_columns) {
                multiply_by_columns(p, stream);
            } else {
                multiply_by_rows(p, product.x.columns(first, count), product.workspace, stream);
            }
            add_splits(p, stream);
            if (is_y_copied) copy_from_rows(y_rows_.in(product.workspace), y, stream);
        }
    }

    void replace_values(const V* csr_values, cudaStream_t stream) override {
        fill<false>({.csr_values = csr_values}, stream);
    }

private:
    static constexpr std::size_t kCachedBytes = std::size_t{32} << 20;  ///< of 8 columns of Y
    static constexpr int kFewColumns = 4;

    /// Whether X is read where it lies, column by column, by a thread for each piece. A copy to rows, which several
    /// threads read for each piece, pays where columns are scattered or rows are multiplied together, and for more than
    /// two columns unless there are many pieces, for more than four of short rows ("Several columns" in
    /// `bench/NOTES.md`).
    [[nodiscard]] bool is_by_columns(const Block<const V>& x) const {
        if (x.layout == Layout::row_major || most_rows_ > 1) return false;
        if (x.cols == 1) return true;
        if (is_scattered_ || (has_rows_apart_ && x.cols > kFewColumns)) return false;
        const auto rows = std::int64_t{this->rows()};
        return x.cols <= 2 || (x.cols <= 4 && rows > 150'000) || (rows > 500'000 && this->nnz() < 10 * rows);
    }

    /// Whether Y is written to rows first: values of a column, where pieces side by side are of rows that lie apart, to
    /// a sector each, take 1.05 to 2 times as long if Y leaves the L2 cache before all of its rows are written.
    [[nodiscard]] bool goes_by_rows(const Block<V>& y) const {
        return has_rows_apart_ && y.layout == Layout::column_major && y.cols > kFewColumns;
    }

    void write_to_rows(SpmmPass<V, A>& p, const Block<V>& y, const BlockProduct<V>& product,
                       cudaStream_t stream) const {
        V* const rows = y_rows_.in(product.workspace);
        const bool is_added_to = product.beta.where() != nullptr || product.beta.value() != 0;
        if (is_added_to) copied_to_rows(Block<const V>(y), rows, stream);
        const Block<V> to = block_of_rows(rows, y.rows, y.cols);
        p.y = BlockView<V>(to);
        p.y_chunk = chunk_of(to);
    }

    void multiply_by_columns(const SpmmPass<V, A>& p, cudaStream_t stream) const {
        with_columns(p.columns, [&]<int kColumns, int kFlight>() {
            launch_dependent(multiply_x_columns<V, A, kColumns, kFlight>, div_up(p.a.pieces, kSpmmThreads),
                             kSpmmThreads, p, stream);
        });
    }

    void multiply_by_rows(SpmmPass<V, A> p, Block<const V> x, std::byte* workspace, cudaStream_t stream) const {
        if (x.layout == Layout::column_major && x.cols > 1) x = copied_to_rows(x, x_rows_.in(workspace), stream);
        p.x = BlockView<const V>(x);
        with_constant<1, 2, 3, 5>(most_rows_, [&]<int kRows>() {
            const auto multiply = [&]<class Shape>() {
                launch_dependent(multiply_x_rows<V, A, kRows, Shape>,
                                 OwnRow<Shape, kSpmmThreads>::blocks_for(p.a.pieces, p.columns), kSpmmThreads, p,
                                 stream);
            };
            const int chunk = chunk_of(x);
            if (kRows > 1 || has_long_pieces_) return with_row_shape<V, kRows, false>(p.columns, chunk, multiply);
            with_row_shape<V, kRows, kRows == 1>(p.columns, chunk, multiply);
        });
    }

    void add_splits(const SpmmPass<V, A>& p, cudaStream_t stream) const {
        const auto add = [&]<int kLanes>(std::size_t first, std::size_t end) {
            const SplitSums<V, A> sums{p, plan_.data(splits_) + first, plan_.data(split_rows_) + first,
                                       static_cast<std::int64_t>(end - first), most_rows_};
            launch_dependent(add_split_rows<V, A, kLanes>, div_up(sums.count * p.columns * kLanes, kSpmmThreads),
                             kSpmmThreads, sums, stream);
        };
        add.template operator()<kSpmmThreads>(0, long_splits_);
        add.template operator()<8>(long_splits_, splits_.size);
    }

    [[nodiscard]] DevicePieces<V> view() const {
        return {.first_steps = plan_.data(first_steps_),
                .pieces = static_cast<std::int64_t>(targets_.size),
                .targets = plan_.data(targets_),
                .heights = plan_.data(heights_),
                .cols = plan_.data(cols_),
                .values = plan_.data(values_)};
    }

    template <bool kWithColumns>
    void fill(PieceFill<V> p, cudaStream_t stream) {
        p.to = view();
        p.cols = plan_.room(cols_);
        p.values = plan_.room(values_);
        p.first_nonzeros = plan_.data(first_nonzeros_);
        p.row_lengths = plan_.data(row_lengths_);
        p.most_rows = most_rows_;
        launch(fill_pieces<V, kWithColumns>, div_up(p.to.pieces + kSlicePieces, kSpmmThreads), kSpmmThreads, p, stream);
    }

    WorkspacePart<V> room_for_copy(index_t rows) {
        return this->layout().template add_room<V>(static_cast<std::size_t>(rows) *
                                                   static_cast<std::size_t>(copied_columns_));
    }
    bool is_scattered_;
    bool has_long_pieces_;
    std::size_t long_splits_;
    PackedArrays plan_;
    PackedPart<std::uint64_t> first_steps_;
    int most_rows_;
    PackedPart<std::int32_t> targets_;
    PackedPart<std::uint8_t> heights_;
    PackedPart<offset_t> first_nonzeros_;
    PackedPart<std::uint32_t> row_lengths_;
    PackedPart<SplitRow> splits_;
    PackedPart<std::uint32_t> split_rows_;
    PackedPart<std::int32_t> cols_;
    PackedPart<V> values_;
    WorkspacePart<A> partials_;
    bool has_rows_apart_;  // and many
    int copied_columns_;   // at most
    WorkspacePart<V> x_rows_;
    WorkspacePart<V> y_rows_;
};

}  // namespace

/// Sliced ELL for products of several columns (`PieceSlices`), made from CSR alone. Blocks in row-major layout are
/// multiplied where they lie; of column-major ones X is copied to rows in the workspace first, unless rows side by side
/// read it side by side. Options: steps (most nonzeros of a piece of a row, 1 to 1024; otherwise by the number of
/// nonzeros), rows (most rows that are multiplied together where they have nonzeros in the same columns, 1, 2, 3 or 5;
/// otherwise by `group_rows`).
template <class V>
std::unique_ptr<Operator<V>> make_sell_spmm_operator(const Source<V>& source, Options& options,
                                                     const MakeContext& context) {
    const auto steps = static_cast<int>(options.whole("steps", 0, 1, 1024));
    const int rows = options.one_of("rows", 0, {1, 2, 3, 5});
    options.finish();
    return with_accumulator<V>(*context.accumulator, [&]<class A>() -> std::unique_ptr<DeviceOperator<V>> {
        const CsrMatrix<V>& a = source.pattern();
        const std::span<const offset_t> row_ptrs{a.row_ptrs.data(), a.row_ptrs.size()};
        const std::span<const index_t> col_idxs{a.col_idxs.data(), a.col_idxs.size()};
        const int most_steps = steps > 0 ? steps : piece_steps(a.nnz(), a.rows);
        const PieceSlices slices = slice_pieces(row_ptrs, most_steps, group_rows(row_ptrs, col_idxs, sizeof(V), rows));
        return std::make_unique<SellSpmmOperator<V, A>>(source, slices, is_scattered(slices, col_idxs, sizeof(V)),
                                                        *context.device);
    });
}

template <class V>
OperatorInfo<V> info_of_sell_spmm() {
    return on_device<V>(
        {.name = "sell-spmm",
         .summary =
             "sliced ELL for products of several columns; steps=N: most nonzeros of a piece of a row, rows=1|2|3|5: "
             "most with the same columns that are multiplied together",
         .sweeps = "rows=1|2|3|5",
         .pass_columns = kMostRowColumns,
         .only_if_named = true},
        make_sell_spmm_operator<V>);
}

#define TILESPMV_INSTANTIATE(V) template OperatorInfo<V> info_of_sell_spmm();
TILESPMV_FOR_EACH_VALUE(TILESPMV_INSTANTIATE)

}  // namespace tilespmv::cuda
