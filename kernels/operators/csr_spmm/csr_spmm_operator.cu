#include <algorithm>

#include "kernels/cuda/block_to_rows.cuh"
#include "kernels/cuda/device_operator.hpp"
#include "kernels/cuda/launch.cuh"
#include "kernels/cuda/packed_arrays.hpp"
#include "kernels/operators/csr/csr_operator.cuh"
#include "kernels/operators/csr_spmm/csr_spmm_kernel.cuh"
#include "kernels/operators/sell_spmm/piece_slices.hpp"

namespace tilespmv::cuda {
namespace {

template <class V, class A>
class CsrSpmm final : public CsrOperator<V> {
public:
    CsrSpmm(const Source<V>& a, const CsrPieces& cut, int lanes, const DeviceContext& on)
        : CsrOperator<V>("csr-spmm", a, on, kMostRowColumns),
          lanes_(lanes),
          pieces_(plan_.add(cut.pieces)),
          parts_(plan_.add(cut.parts)),
          partials_(this->layout().template add_room<A>(cut.parts.size() * kMostRowColumns)),
          arrivals_(this->layout().template add<unsigned>(cut.parts.size(), 0)),
          copied_columns_(
              copied_columns<V>(static_cast<std::size_t>(a.nnz()) * (sizeof(V) + sizeof(index_t)), a.cols())),
          x_rows_(this->layout().template add_room<V>(static_cast<std::size_t>(a.cols()) *
                                                      static_cast<std::size_t>(copied_columns_))) {
        plan_.upload(on);
        TILESPMV_CUDA(cudaStreamSynchronize(on));  // the host's copy goes away
        this->add_plan(pieces_.bytes() + parts_.bytes());
    }

    void multiply(const Product<V>& product, cudaStream_t stream) const override {
        multiply_block(one_column(product, this->rows(), this->cols()), stream);
    }

    void multiply_block(const BlockProduct<V>& product, cudaStream_t stream) const override {
        const bool is_copied = wants_rows(product.x);
        const int most = is_copied ? copied_columns_ : kMostRowColumns;
        for (int first = 0; first < product.x.cols; first += most) {
            const int count = std::min(most, product.x.cols - first);
            Block<const V> x = product.x.columns(first, count);
            if (is_copied) x = copied_to_rows(x, x_rows_.in(product.workspace), stream);
            CsrSpmmPass<V, A> p{terms_of<A>(product, first, count)};
            p.pieces = plan_.data(pieces_);
            p.count = static_cast<std::uint32_t>(pieces_.size);
            p.parts = plan_.data(parts_);
            p.partials = partials_.in(product.workspace);
            p.partial_columns = static_cast<int>(wide_columns<V>(count));
            p.arrivals = arrivals_.in(product.workspace);
            p.x = BlockView<const V>(x);
            this->csr().visit([&](const auto& a) {
                p.col_idxs = a.col_idxs;
                p.values = a.values;
                p.values_may_change = a.values_may_change;
            });
            multiply_pass(p, chunk_of(x) == kWide<V> && x.ld < (std::size_t{1} << 32) / sizeof(V), stream);
        }
    }

private:
    /// Whether X is copied to rows first: value by value, where it lies in columns, it is read as fast by small
    /// matrices and few columns ("Several columns" in `bench/NOTES.md`).
    [[nodiscard]] bool wants_rows(const Block<const V>& x) const {
        return x.layout == Layout::column_major && x.cols > 2 && this->nnz() * x.cols > 2'500'000;
    }

    void multiply_pass(CsrSpmmPass<V, A>& p, bool is_aligned, cudaStream_t stream) const {
        const auto multiply = [&]<int kLanes, int kChunks, bool kIsAligned>() {
            p.team = PieceTeam::of<PieceShape<V, A, kChunks, kIsAligned>, kLanes>(p.columns);
            const std::int64_t of_block = std::int64_t{p.team.of_warp} * (kPieceThreads / kWarpSize);
            launch_dependent(multiply_csr_pieces<V, A, kLanes, kChunks, kIsAligned>,
                             div_up(std::int64_t{p.count}, of_block), kPieceThreads, p, stream);
        };
        // Two chunks a lane where a row of X is of more than a line, so that loads of neighbouring lanes are of one.
        constexpr int kMostChunks = kMostRowColumns * sizeof(V) > 128 ? 2 : 1;
        const int chunks = p.columns * static_cast<int>(sizeof(V)) > 128 ? 2 : 1;
        with_constant<2, 4>(lanes_, [&]<int kLanes>() {
            if (chunks == 2 && is_aligned) return multiply.template operator()<kLanes, kMostChunks, true>();
            if (chunks == 2) return multiply.template operator()<kLanes, kMostChunks, false>();
            if (is_aligned) return multiply.template operator()<kLanes, 1, true>();
            multiply.template operator()<kLanes, 1, false>();
        });
    }

    int lanes_;
    PackedArrays plan_;
    PackedPart<CsrPiece> pieces_;
    PackedPart<RowPartOfCsr> parts_;
    WorkspacePart<A> partials_;
    WorkspacePart<unsigned> arrivals_;
    int copied_columns_;  // of X, at most
    WorkspacePart<V> x_rows_;
};

}  // namespace

/// CSR for products of several columns by matrices with so few rows that a lane a row would leave a GPU waiting: two or
/// four lanes share the nonzeros of a row, and long rows are cut into parts, whose sums the last part to arrive adds in
/// their order. The matrix is multiplied as it is; of many columns in column-major layout X is copied to rows in the
/// workspace first. Option: lanes (2 or 4 a row; otherwise by `lanes_of_csr_spmm`).
template <class V>
std::unique_ptr<Operator<V>> make_csr_spmm_operator(const Source<V>& source, Options& options,
                                                    const MakeContext& context) {
    const int lanes = options.one_of("lanes", lanes_of_csr_spmm(source.nnz(), source.rows()), {2, 4});
    options.finish();
    return with_accumulator<V>(*context.accumulator, [&]<class A>() -> std::unique_ptr<DeviceOperator<V>> {
        const auto& row_ptrs = source.row_ptrs();
        const CsrPieces cut = csr_pieces({row_ptrs.data(), row_ptrs.size()}, kMostOfLane * lanes);
        return std::make_unique<CsrSpmm<V, A>>(source, cut, lanes, *context.device);
    });
}

template <class V>
OperatorInfo<V> info_of_csr_spmm() {
    OperatorInfo<V> info = on_device<V>(
        {.name = "csr-spmm",
         .summary = "CSR for products of several columns by matrices of few rows; lanes=2|4 a row (by the mean row)",
         .sweeps = "lanes=2|4",
         .reads_csr_in_place = true,
         .pass_columns = kMostRowColumns,
         .only_if_named = true},
        make_csr_spmm_operator<V>);
    info.suits_columns = [](const Source<V>& source, int columns) {
        const auto& row_ptrs = source.row_ptrs();
        const std::span<const offset_t> ptrs{row_ptrs.data(), row_ptrs.size()};
        const int row_bytes = std::min(columns, kMostRowColumns) * static_cast<int>(sizeof(V));
        const auto suits = [&](offset_t shared) { return suits_csr_spmm(ptrs, shared, row_bytes); };
        if (!suits(0)) return false;
        // Columns, which may lie on the GPU alone, are looked at only where it depends on them.
        if (source.nnz() < kFewestToGroup || suits(source.nnz())) return true;
        const auto& cols = source.pattern().col_idxs;
        return suits(shared_nonzeros(ptrs, group_rows(ptrs, {cols.data(), cols.size()}, sizeof(V), 0)));
    };
    return info;
}

#define TILESPMV_INSTANTIATE(V) template OperatorInfo<V> info_of_csr_spmm();
TILESPMV_FOR_EACH_VALUE(TILESPMV_INSTANTIATE)

}  // namespace tilespmv::cuda
