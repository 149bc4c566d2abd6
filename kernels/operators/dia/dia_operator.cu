#include <algorithm>

#include "kernels/cuda/device_diagonals.hpp"
#include "kernels/cuda/device_operator.hpp"
#include "kernels/cuda/launch.cuh"
#include "kernels/cuda/packed_arrays.hpp"
#include "kernels/cuda/source_arrays.hpp"
#include "kernels/cuda/this_gpu.hpp"
#include "kernels/cuda/tuning.hpp"
#include "kernels/operators/dia/dia_fill.cuh"
#include "kernels/operators/dia/dia_kernel.cuh"
#include "selector/work_sizes.hpp"

namespace tilespmv::cuda {
namespace {

template <class V, class A>
class DiaOperator final : public DeviceOperator<V> {
public:
    /// Values go into their places on the GPU, which finds these.
    DiaOperator(const Source<V>& a, const std::vector<index_t>& offsets, int rows_a_thread, const DeviceContext& on)
        : DeviceOperator<V>(
              {.name = "dia", .rows = a.rows(), .cols = a.cols(), .nnz = a.nnz(), .most_columns = kMostColumnColumns}),
          rows_a_thread_(rows_a_thread),
          layout_{static_cast<offset_t>(offsets.size())} {
        const Buffer<DiaOffsets> groups = grouped(offsets);
        offsets_ = arrays_.add(groups);
        row_ptrs_ = arrays_.add(row_ptrs_on_device(a, on));
        held_ = arrays_.add_room<std::uint64_t>(layout_.held_words(a.rows()));
        values_ = arrays_.add_room<V>(layout_.places_of(a.rows()));
        const std::size_t bytes = offsets_.bytes() + held_.bytes() + values_.bytes();
        this->set_parts(bytes, row_ptrs_.bytes(), executed_whole("dia", tile_rows_of(a), a.nnz(), bytes));
        arrays_.upload(on);  // what is not pinned has been read when copies return
        const CsrToRead<V> csr(a, on);
        fill<true>({.csr_values = csr.values(), .csr_cols = csr.columns(), .offsets = arrays_.data(offsets_)}, on);
    }

    void multiply(const Product<V>& product, cudaStream_t stream) const override {
        const DiaSpmv<V, A> p{terms_of<A>(product, this->rows(), this->cols()), arrays_.data(offsets_),
                              arrays_.data(held_), arrays_.data(values_), layout_};
        const std::int64_t blocks = div_up(std::int64_t{this->rows()}, std::int64_t{rows_a_thread_ * kDiaThreads});
        launch_dependent(rows_a_thread_ == 1 ? dia_spmv<V, A, 1> : dia_spmv<V, A, 2>, blocks, kDiaThreads, p, stream);
    }

    void multiply_block(const BlockProduct<V>& product, cudaStream_t stream) const override {
        const bool is_by_rows = product.x.layout == Layout::row_major;
        const int most = is_by_rows ? kMostRowColumns : kMostColumnColumns;
        for (int first = 0; first < product.x.cols; first += most) {
            const int count = std::min(most, product.x.cols - first);
            const DiaSpmm<V, A> p{terms_of<A>(product, first, count), arrays_.data(offsets_), arrays_.data(held_),
                                  arrays_.data(values_), layout_};
            if (is_by_rows) {
                with_row_shape<V, 1, false>(count, chunk_of(product.x.columns(first, count)), [&]<class Shape>() {
                    const std::int64_t blocks = OwnRow<Shape, kDiaThreads>::blocks_for(this->rows(), count);
                    launch_dependent(dia_x_rows<V, A, Shape>, blocks, kDiaThreads, p, stream);
                });
            } else {
                with_columns(count, [&]<int kColumns, int kFlight>() {
                    launch_dependent(dia_x_columns<V, A, kColumns, kFlight>,
                                     div_up(std::int64_t{this->rows()}, std::int64_t{kDiaThreads}), kDiaThreads, p,
                                     stream);
                });
            }
        }
    }

    void replace_values(const V* csr_values, cudaStream_t stream) override {
        fill<false>({.csr_values = csr_values}, stream);
    }

protected:
    bool write_csr(const CsrToWrite<V>& to, cudaStream_t stream) const override {
        const DiaToCsr<V> p{this->rows(),
                            layout_,
                            arrays_.data(held_),
                            arrays_.data(values_),
                            arrays_.data(offsets_),
                            arrays_.data(row_ptrs_),
                            to};
        copy_there(to.row_ptrs, p.row_ptrs, row_ptrs_.size, stream);
        launch(read_dia<V>, div_up(std::int64_t{this->rows()}, std::int64_t{DiaLayout::kRows}), DiaLayout::kRows, p,
               stream);
        return true;
    }

private:
    template <bool kWithBits>
    void fill(DiaFill<V> p, cudaStream_t stream) {
        p.row_ptrs = arrays_.data(row_ptrs_);
        p.rows = this->rows();
        p.layout = layout_;
        p.held = arrays_.room(held_);
        p.values = arrays_.room(values_);
        launch(fill_dia<V, kWithBits>, div_up(std::int64_t{this->rows()}, std::int64_t{DiaLayout::kRows}),
               DiaLayout::kRows, p, stream);
    }

    int rows_a_thread_;
    DiaLayout layout_;
    PackedArrays arrays_;
    PackedPart<DiaOffsets> offsets_;
    PackedPart<std::uint64_t> held_;
    PackedPart<offset_t> row_ptrs_;  ///< of CSR, for new values
    PackedPart<V> values_;
};

}  // namespace

/// A thread a row of `Dia`, or two rows. Throws `Error` for a matrix of which DIA would be many times as large as CSR.
/// Option: rows (1 or 2, of a thread; chosen for the matrix if not given).
template <class V>
std::unique_ptr<Operator<V>> make_dia_operator(const Source<V>& source, Options& options, const MakeContext& context) {
    const DeviceContext& on = *context.device;
    const auto* const there = csr_only_on_device(source);
    if (there != nullptr) static_cast<void>(source.row_statistics());  // which checks row pointers
    const CsrMatrix<V> a = csr_sizes(source);
    const auto offsets = there != nullptr ? diagonals_of(pattern_of(*there), on) : dia_offsets(source.csr());
    if (there != nullptr) source.add_bytes_to_host((static_cast<std::size_t>(a.rows) + a.cols) / 8);
    refuse_dia_if_large(a, {static_cast<offset_t>(offsets.size())});
    const int suited = dia_rows_a_thread(a.rows, static_cast<offset_t>(offsets.size()), this_gpu(sizeof(V)));
    const int rows_a_thread = options.one_of("rows", suited, {1, 2});
    options.finish();
    return with_accumulator<V>(*context.accumulator, [&]<class A>() -> std::unique_ptr<DeviceOperator<V>> {
        return std::make_unique<DiaOperator<V, A>>(source, offsets, rows_a_thread, on);
    });
}

template <class V>
OperatorInfo<V> info_of_dia() {
    return on_device<V>({.name = "dia",
                         .summary = "DIA, for few full diagonals; rows=1|2 of a thread",
                         .sweeps = "rows=1|2",
                         .only_if_named = true},
                        make_dia_operator<V>);
}

#define TILESPMV_INSTANTIATE(V) template OperatorInfo<V> info_of_dia();
TILESPMV_FOR_EACH_VALUE(TILESPMV_INSTANTIATE)

}  // namespace tilespmv::cuda
