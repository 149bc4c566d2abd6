#include <algorithm>
#include <array>
#include <utility>

#include "kernels/cuda/device_operator.hpp"
#include "kernels/cuda/launch.cuh"
#include "kernels/cuda/source_arrays.hpp"
#include "kernels/cuda/this_gpu.hpp"
#include "kernels/operators/csr_inode/csr_inode_kernel.cuh"
#include "kernels/operators/csr_inode/device_inodes.hpp"
#include "kernels/source.hpp"
#include "selector/csr_shapes.hpp"

namespace tilespmv::cuda {
namespace {

/// The inodes of a matrix, and how they are taken: what is not `given` is chosen.
template <class V>
DeviceInodes inodes_of(const Source<V>& source, InodeShape& shape, const NumberSizes& sizes, const DeviceContext& on) {
    const Gpu gpu = this_gpu(sizeof(V));
    if (is_planned_on_host(source)) {
        const CsrMatrix<V>& a = source.csr();
        const auto alike = rows_alike(a.row_ptrs, a.col_idxs);
        shape = inode_shape(inode_lengths(a.row_ptrs, alike), shape, sizes, gpu);
        const CsrInodes form = make_inodes(a.row_ptrs, a.col_idxs, alike, shape.rows);
        DeviceInodes made{DeviceBuffer<Inode>(form.inodes, on), DeviceBuffer<index_t>(form.col_idxs, on)};
        TILESPMV_CUDA(cudaStreamSynchronize(on));  // the host's copies go away
        return made;
    }
    const DeviceBuffer<offset_t> row_ptrs = row_ptrs_on_device(source, on);
    const ColumnsToRead columns(source, on);
    const InodeFinder finder(row_ptrs, columns.columns(), source.nnz(), on);
    count_bytes_to_host(source, sizeof finder.counts());
    std::array<InodeLengths, kInodeRows.size()> lengths;
    std::ranges::transform(finder.counts(), lengths.begin(), &InodesThere::lengths);
    shape = inode_shape(lengths, shape, sizes, gpu);
    return finder.make(shape.rows);
}

template <class V, class A>
class CsrInodeOperator final : public DeviceOperator<V> {
public:
    CsrInodeOperator(const Source<V>& a, DeviceInodes form, const InodeShape& shape, const DeviceContext& on)
        : DeviceOperator<V>({.name = "csr-inode", .rows = a.rows(), .cols = a.cols(), .nnz = a.nnz()}),
          shape_(shape),
          inodes_(std::move(form.inodes)),
          col_idxs_(std::move(form.col_idxs)),
          values_(values_on_device(a, on)) {
        const std::size_t bytes = inodes_.bytes() + col_idxs_.bytes() + values_.bytes();
        this->set_parts(bytes, 0, executed_whole("csr-inode", tile_rows_of(a), a.nnz(), bytes));
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

protected:
    bool write_csr(const CsrToWrite<V>& to, cudaStream_t stream) const override {
        expand_inodes(inodes_.data(), static_cast<std::int64_t>(inodes_.size()) - 1, col_idxs_.data(), to.row_ptrs,
                      to.col_idxs, stream);
        copy_there(to.values, values_.data(), values_.size(), stream);
        return true;
    }

private:
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
        DeviceInodes form = inodes_of(source, shape, {sizeof(V), sizeof(A)}, on);
        return std::make_unique<CsrInodeOperator<V, A>>(source, std::move(form), shape, on);
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
