#include <utility>

#include "kernels/cuda/device_operator.hpp"
#include "kernels/cuda/launch.cuh"
#include "kernels/cuda/source_arrays.hpp"
#include "kernels/cuda/this_gpu.hpp"
#include "kernels/operators/csr16/csr16_buffers.cuh"

namespace tilespmv::cuda {
namespace {

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

protected:
    bool write_csr(const CsrToWrite<V>& to, cudaStream_t stream) const override {
        matrix_.write_csr(this->rows(), to, stream);
        return true;
    }

private:
    /// All rows, so that values are in the order of CSR.
    static Csr16Arrays plan_of(const Source<V>& a, const Csr16Limits& limits, const DeviceContext& on) {
        if (!is_planned_on_host(a)) {
            const ColumnsToRead columns(a, on);
            Csr16Arrays made = make_csr16_there(row_ptrs_on_device(a, on), columns.columns(), limits, on);
            count_bytes_to_host(a, made.bytes_to_host);
            return made;
        }
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
