#include <utility>

#include "kernels/cuda/device_operator.hpp"
#include "kernels/cuda/device_row_blocks.cuh"
#include "kernels/cuda/launch.cuh"
#include "kernels/cuda/source_arrays.hpp"
#include "kernels/cuda/this_gpu.hpp"
#include "kernels/operators/csr16/csr16_buffers.cuh"
#include "kernels/operators/csr16/csr16_fill.cuh"

namespace tilespmv::cuda {
namespace {

struct MakeCsr16 {
    int nonzeros_per_thread = 0;

    __device__ Csr16Block make(const RowBlock& from) const {
        Csr16Block block;
        block.first_nonzero = from.first_nonzero;
        block.first_end = static_cast<std::uint32_t>(from.first_row) + from.extra;
        block.first_row = static_cast<std::uint32_t>(from.first_row);
        block.nonzeros = static_cast<std::uint16_t>(from.nonzeros);
        block.rows = static_cast<std::uint16_t>(from.rows);
        block.partial = from.partial;
        block.split = from.split;
        block.threads_log2 =
            static_cast<std::uint8_t>(csr16_threads_log2(from.rows, from.nonzeros, nonzeros_per_thread));
        block.is_piece = from.is_piece;
        return block;
    }
};

/// Where the codes of each row block are, and behind them where the last ones end.
DeviceBuffer<std::int64_t> place_codes(const DeviceBuffer<std::int64_t>& sizes, const DeviceContext& on) {
    DeviceBuffer<std::int64_t> first(sizes.size(), on);
    with_cub_workspace(
        [&](void* workspace, std::size_t& bytes) {
            return cub::DeviceScan::ExclusiveSum(workspace, bytes, sizes.data(), first.data(),
                                                 static_cast<std::int64_t>(sizes.size()), on.stream);
        },
        on);
    return first;
}

/// What `make_csr16` makes of all rows, made on the GPU; waits for the stream three times.
template <class V>
Csr16Arrays make_csr16_there(const Source<V>& a, const Csr16Limits& limits, const DeviceContext& on) {
    const DeviceBuffer<offset_t> row_ptrs = row_ptrs_on_device(a, on);
    const ColumnsToRead columns(a, on);
    const RowBlockCut cut{row_ptrs.data(),       a.rows(),         limits.block_nonzeros,
                          limits.piece_nonzeros, limits.whole_row, Csr16::kMaxRows};
    auto row_blocks = cut_row_blocks<Csr16Block>(cut, MakeCsr16{limits.nonzeros_per_thread}, on);
    Csr16Arrays made;
    made.blocks = std::move(row_blocks.blocks);
    made.splits = std::move(row_blocks.splits);
    made.partials = row_blocks.all.partials;
    made.in_long_rows = row_blocks.all.in_long_rows;
    made.ends = DeviceBuffer<std::uint16_t>(static_cast<std::size_t>(a.rows()) + row_blocks.all.extra, on);
    const DeviceBuffer<std::int64_t> sizes(made.blocks.size() + 1, on);
    Csr16Fill p{.blocks = made.blocks.data(),
                .block_count = static_cast<std::int64_t>(made.blocks.size()),
                .row_ptrs = row_ptrs.data(),
                .col_idxs = columns.columns(),
                .ends = made.ends.data(),
                .code_sizes = sizes.data()};
    const std::int64_t grid = div_up((p.block_count + 1) * kWarpSize, std::int64_t{kCsr16FillThreads});
    launch(read_columns, grid, kCsr16FillThreads, p, on.stream);
    const DeviceBuffer<std::int64_t> first_codes = place_codes(sizes, on);
    std::int64_t all = 0;
    TILESPMV_CUDA(
        cudaMemcpyAsync(&all, first_codes.data() + p.block_count, sizeof all, cudaMemcpyDeviceToHost, on.stream));
    TILESPMV_CUDA(cudaStreamSynchronize(on.stream));
    made.codes = DeviceBuffer<std::uint16_t>(static_cast<std::size_t>(all), on);
    p.first_codes = first_codes.data();
    p.codes = made.codes.data();
    launch(write_codes, grid, kCsr16FillThreads, p, on.stream);
    count_bytes_to_host(a, row_blocks.bytes_to_host + sizeof all);
    return made;
}

template <class V, class A>
class Csr16Operator final : public DeviceOperator<V> {
public:
    Csr16Operator(const Source<V>& a, const Csr16Limits& limits, const DeviceContext& on)
        : Csr16Operator(a, plan_of(a, limits, on), limits, on) {}

    void multiply(const Product<V>& product, cudaStream_t stream) const override {
        const Csr16Spmv<V, A> p{terms_of<A>(product, this->rows(), this->cols()), matrix_.view(product.workspace)};
        with_row_block_kernel<Csr16::kThreads>(shape_, [&]<class Kernel>() {
            launch_dependent(csr16_spmv<V, A, Kernel>, div_up(p.matrix.block_count, std::int64_t{Kernel::kTeams}),
                             Kernel::kBlockThreads, p, stream);
        });
    }

    void replace_values(const V* csr_values, cudaStream_t stream) override {
        matrix_.update_values(csr_values, stream);
    }

private:
    /// All rows, so that values are in the order of CSR.
    static Csr16Arrays plan_of(const Source<V>& a, const Csr16Limits& limits, const DeviceContext& on) {
        if (!is_planned_on_host(a)) return make_csr16_there(a, limits, on);
        const Csr16 all = make_csr16(a.csr(), limits);
        Csr16Arrays arrays(all, on);
        TILESPMV_CUDA(cudaStreamSynchronize(on));  // the host's copies go away
        return arrays;
    }

    Csr16Operator(const Source<V>& a, Csr16Arrays plan, const Csr16Limits& limits, const DeviceContext& on)
        : DeviceOperator<V>({.name = "csr16", .rows = a.rows(), .cols = a.cols(), .nnz = a.nnz()}),
          shape_(row_block_shape(limits.block_nonzeros, Csr16::kThreads, a.nnz(), plan.in_long_rows,
                                 this_tuning(sizeof(V)).row_blocks)),
          matrix_(std::move(plan), values_on_device(a, on), this->layout()) {
        this->set_parts(matrix_.matrix_bytes(), matrix_.other_bytes(),
                        executed_whole("csr16", tile_rows_of(a), a.nnz(), matrix_.matrix_bytes()));
        TILESPMV_CUDA(cudaStreamSynchronize(on));  // the host's values have been read
    }

    RowBlockShape shape_;
    Csr16Buffers<V, A> matrix_;
};

}  // namespace

/// CSR with columns of 16 bits (`Csr16`), made from CSR alone. Takes no options.
template <class V>
std::unique_ptr<Operator<V>> make_csr16_operator(const Source<V>& source, Options& options,
                                                 const MakeContext& context) {
    const DeviceContext& on = *context.device;
    options.finish();
    return with_accumulator<V>(*context.accumulator, [&]<class A>() -> std::unique_ptr<DeviceOperator<V>> {
        return std::make_unique<Csr16Operator<V, A>>(source, csr16_limits(source.nnz(), this_gpu(sizeof(V))), on);
    });
}

template <class V>
OperatorInfo<V> info_of_csr16() {
    return on_device<V>(
        {.name = "csr16", .summary = "CSR with columns of 16 bits, relative to those of blocks of up to 512 nonzeros"},
        make_csr16_operator<V>);
}

#define TILESPMV_INSTANTIATE(V) template OperatorInfo<V> info_of_csr16();
TILESPMV_FOR_EACH_VALUE(TILESPMV_INSTANTIATE)

}  // namespace tilespmv::cuda
