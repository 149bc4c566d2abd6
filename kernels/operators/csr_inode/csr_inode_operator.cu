#include "kernels/cuda/device_operator.hpp"
#include "kernels/cuda/launch.cuh"
#include "kernels/cuda/source_arrays.hpp"
#include "kernels/cuda/this_gpu.hpp"
#include "kernels/cuda/with_constant.hpp"
#include "kernels/operators/csr_inode/csr_inode_kernel.cuh"
#include "kernels/operators/csr_inode/inode_fill.cuh"
#include "kernels/operators/csr_inode/inodes.hpp"
#include "kernels/source.hpp"
#include "selector/csr_shapes.hpp"

namespace tilespmv::cuda {
namespace {

/// As `rows_alike`, of a matrix in device memory.
std::vector<std::uint8_t> rows_alike_there(const DevicePattern& a, const DeviceContext& on) {
    const DeviceBuffer<std::uint8_t> there(static_cast<std::size_t>(a.rows), on);
    std::visit(
        [&]<class P>(const P* row_ptrs) {
            const RowsToCompare<P> p{a.rows, row_ptrs, a.col_idxs, there.data()};
            launch(compare_rows<P>, div_up(offset_t{a.rows} * kWarpSize, offset_t{kInodeFillThreads}),
                   kInodeFillThreads, p, on.stream);
        },
        a.row_ptrs);
    std::vector<std::uint8_t> alike(there.size());
    copy_to_host(alike.data(), there.data(), there.bytes(), on.stream);
    return alike;
}

template <class V, class A>
class CsrInodeOperator final : public DeviceOperator<V> {
public:
    CsrInodeOperator(const Source<V>& a, const CsrInodes& form, const InodeShape& shape, const DeviceContext& on)
        : DeviceOperator<V>({.name = "csr-inode", .rows = a.rows(), .cols = a.cols(), .nnz = a.nnz()}),
          shape_(shape),
          inodes_(form.inodes, on),
          col_idxs_(columns_of(form, on)),
          values_(values_on_device(a, on)) {
        if (const auto* const there = csr_only_on_device(a)) {
            const InodeColumns p{inodes_.data(), form.count(), there->col_idxs, col_idxs_.data()};
            launch(copy_inode_columns, div_up(p.count * kWarpSize, std::int64_t{kInodeFillThreads}), kInodeFillThreads,
                   p, on.stream);
        }
        const std::size_t bytes = inodes_.bytes() + col_idxs_.bytes() + values_.bytes();
        this->set_parts(bytes, 0,
                        executed_whole("csr-inode", occupied_tile_rows(a.row_ptrs(), 0, a.rows()), a.nnz(), bytes));
        TILESPMV_CUDA(cudaStreamSynchronize(on));  // the host's copies go away
    }

    void multiply(const Product<V>& product, cudaStream_t stream) const override {
        const auto count = static_cast<std::int64_t>(inodes_.size()) - 1;
        const InodeSpmv<V, A> p{terms_of<A>(product, this->rows(), this->cols()), inodes_.data(), count,
                                col_idxs_.data(), values_.data()};
        with_constant<2, 3, 4, 5, 6>(shape_.rows, [&]<int kRows>() {
            with_constant<8, 16, 32>(shape_.threads, [&]<int kThreads>() {
                with_constant<2, 4>(shape_.flight, [&]<int kFlight>() {
                    launch_dependent(csr_inode<V, A, kRows, kThreads, kFlight>,
                                     div_up(count * kThreads, std::int64_t{kVectorThreads}), kVectorThreads, p, stream);
                });
            });
        });
    }

    void replace_values(const V* csr_values, cudaStream_t stream) override {
        TILESPMV_CUDA(cudaMemcpyAsync(values_.data(), csr_values, values_.bytes(), cudaMemcpyDeviceToDevice, stream));
    }

private:
    /// Room for those that are copied on the GPU.
    static DeviceBuffer<index_t> columns_of(const CsrInodes& form, const DeviceContext& on) {
        const bool is_there = form.col_idxs.data() == nullptr;
        return is_there ? DeviceBuffer<index_t>(form.col_idxs.size(), on) : DeviceBuffer<index_t>(form.col_idxs, on);
    }

    InodeShape shape_;
    DeviceBuffer<Inode> inodes_;
    DeviceBuffer<index_t> col_idxs_;
    DeviceBuffer<V> values_;
};

}  // namespace

/// As csr-vector, but a group of threads reads the columns of an inode, consecutive rows with nonzeros in the same
/// columns, and their x, once for all of its rows. Options: rows (at most so many of an inode, 2 to 6), threads (8, 16
/// or 32 for an inode) and flight (2 or 4 columns of a thread on their way at a time); what is not given is chosen by
/// `inode_shape`. Throws `Error` as `make_inodes` does.
template <class V>
std::unique_ptr<Operator<V>> make_csr_inode_operator(const Source<V>& source, Options& options,
                                                     const MakeContext& context) {
    const DeviceContext& on = *context.device;
    InodeShape shape;
    shape.rows = options.one_of("rows", 0, {2, 3, 4, 5, 6});
    shape.threads = options.one_of("threads", 0, {8, 16, 32});
    shape.flight = options.one_of("flight", 0, {2, 4});
    options.finish();
    return with_accumulator<V>(*context.accumulator, [&]<class A>() -> std::unique_ptr<DeviceOperator<V>> {
        const auto* const there = csr_only_on_device(source);
        const auto& row_ptrs = source.row_ptrs();
        const auto alike =
            there != nullptr ? rows_alike_there(pattern_of(*there), on) : rows_alike(row_ptrs, source.csr().col_idxs);
        if (there != nullptr) source.add_bytes_to_host(alike.size());
        const NumberSizes sizes{sizeof(V), sizeof(A)};
        shape = inode_shape(inode_lengths(row_ptrs, alike), shape, sizes, this_gpu(sizeof(V)));
        const CsrInodes form = there != nullptr ? list_inodes(row_ptrs, alike, shape.rows)
                                                : make_inodes(row_ptrs, source.csr().col_idxs, alike, shape.rows);
        return std::make_unique<CsrInodeOperator<V, A>>(source, form, shape, on);
    });
}

template <class V>
OperatorInfo<V> info_of_csr_inode() {
    return on_device<V>(
        {.name = "csr-inode",
         .summary = "CSR with one list of columns for consecutive rows that have the same, for several unknowns a "
                    "node; rows=2|3|4|5|6 at most, threads=8|16|32 of them, flight=2|4 columns a thread at once",
         .sweeps = "rows=2|3|4|5|6,threads=8|16|32,flight=2|4"},
        make_csr_inode_operator<V>);
}

#define TILESPMV_INSTANTIATE(V) template OperatorInfo<V> info_of_csr_inode();
TILESPMV_FOR_EACH_VALUE(TILESPMV_INSTANTIATE)

}  // namespace tilespmv::cuda
