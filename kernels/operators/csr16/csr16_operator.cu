#include "kernels/cuda/device_operator.hpp"
#include "kernels/cuda/launch.cuh"
#include "kernels/cuda/source_arrays.hpp"
#include "kernels/cuda/this_gpu.hpp"
#include "kernels/operators/csr16/csr16_buffers.cuh"
#include "kernels/operators/csr16/csr16_fill.cuh"

namespace tilespmv::cuda {
namespace {

/// The codes of the nonzeros of these row blocks, and what else follows from their columns, found on the GPU.
DeviceBuffer<std::uint16_t> encode_on_gpu(Csr16& b, const index_t* col_idxs, const DeviceContext& on) {
    const DeviceBuffer<offset_t> sources(std::span<const offset_t>(b.sources), on);
    DeviceBuffer<Csr16Block> blocks(std::span<const Csr16Block>(b.blocks), on);
    const DeviceBuffer<ColumnSpan> spans(b.blocks.size(), on);
    Csr16Fill p{.blocks = blocks.data(),
                .block_count = std::ssize(b.blocks),
                .sources = sources.data(),
                .col_idxs = col_idxs,
                .spans = spans.data()};
    const std::int64_t grid = div_up(p.block_count * kWarpSize, std::int64_t{kCsr16FillThreads});
    launch(find_column_spans, grid, kCsr16FillThreads, p, on.stream);
    std::vector<ColumnSpan> found(b.blocks.size());
    copy_to_host(found.data(), spans.data(), spans.bytes(), on.stream);
    DeviceBuffer<std::uint16_t> codes(static_cast<std::size_t>(place_codes(b, found)), on);
    p.codes = codes.data();
    blocks.upload(std::span<const Csr16Block>(b.blocks), on.stream);
    launch(write_codes, grid, kCsr16FillThreads, p, on.stream);
    TILESPMV_CUDA(cudaStreamSynchronize(on.stream));
    return codes;
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
    /// All rows, so that values are in the order of CSR; codes are on the GPU.
    struct Plan {
        Csr16 all;
        DeviceBuffer<std::uint16_t> codes;
    };
    static Plan plan_of(const Source<V>& a, const Csr16Limits& limits, const DeviceContext& on) {
        if (const auto* const there = csr_only_on_device(a)) {
            const auto& row_ptrs = a.row_ptrs();
            Plan plan{cut_csr16({row_ptrs.data(), row_ptrs.size()}, limits), {}};
            plan.codes = encode_on_gpu(plan.all, there->col_idxs, on);
            a.add_bytes_to_host(plan.all.blocks.size() * sizeof(ColumnSpan));
            return plan;
        }
        Plan plan{make_csr16(a.csr(), limits), {}};
        plan.codes = DeviceBuffer<std::uint16_t>(plan.all.codes, on);
        return plan;
    }

    Csr16Operator(const Source<V>& a, Plan plan, const Csr16Limits& limits, const DeviceContext& on)
        : DeviceOperator<V>({.name = "csr16", .rows = a.rows(), .cols = a.cols(), .nnz = a.nnz()}),
          shape_(row_block_shape(limits.block_nonzeros, Csr16::kThreads, plan.all.nonzeros, plan.all.in_long_rows,
                                 this_tuning(sizeof(V)).row_blocks)),
          matrix_(plan.all, std::move(plan.codes), values_on_device(a, on), this->layout(), on) {
        this->set_parts(
            matrix_.matrix_bytes(), matrix_.other_bytes(),
            executed_whole("csr16", occupied_tile_rows(a.row_ptrs(), 0, a.rows()), a.nnz(), matrix_.matrix_bytes()));
        TILESPMV_CUDA(cudaStreamSynchronize(on));  // the host's copies go away
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
