#include "kernels/dia/dia_operator.hpp"

#include <algorithm>
#include <optional>

#include "kernels/accumulator.hpp"
#include "kernels/cuda/csr_positions.hpp"
#include "kernels/cuda/device_value_map.cuh"
#include "kernels/cuda/launch.cuh"
#include "kernels/cuda/this_gpu.hpp"
#include "kernels/cuda/tuning.hpp"
#include "kernels/dia/dia_kernel.cuh"
#include "kernels/dia/staged_dia_kernel.cuh"
#include "selector/work_sizes.hpp"

namespace tilespmv::cuda {
namespace {

template <class V, class A>
class DiaOperator final : public DeviceOperator<V> {
public:
    /// Values are uploaded as they lie in `dia`.
    DiaOperator(const CsrMatrix<V>& a, const Dia<V>& dia, std::int64_t staged_blocks, const DeviceContext& on)
        : DiaOperator(a, dia, DeviceBuffer<V>(dia.values, on), staged_blocks, on) {
        TILESPMV_CUDA(cudaStreamSynchronize(on));  // the host's copies go away
    }
    /// Values are put into their places on the GPU, and can be again.
    template <class P>
    DiaOperator(const CsrMatrix<V>& a, Dia<P> positions, std::int64_t staged_blocks, const DeviceContext& on)
        : DiaOperator(a, positions, DeviceBuffer<V>(positions.values.size(), on), staged_blocks, on) {
        std::vector<Buffer<P>> arrays;
        arrays.push_back(std::move(positions.values));
        map_.emplace(arrays, on);
        map_->fill(a.values, {&values_}, on);
    }

    [[nodiscard]] std::string_view name() const override { return "dia"; }
    [[nodiscard]] index_t rows() const override { return rows_; }
    [[nodiscard]] index_t cols() const override { return cols_; }
    [[nodiscard]] offset_t nnz() const override { return nnz_; }
    [[nodiscard]] std::size_t matrix_bytes() const override {
        return offsets_.bytes() + held_.bytes() + values_.bytes();
    }
    [[nodiscard]] std::size_t device_bytes() const override {
        return matrix_bytes() + this->workspace_bytes() + (map_ ? map_->bytes() : 0);
    }
    [[nodiscard]] std::vector<ExecutedPart> executed() const override {
        return executed_whole("dia", tile_rows_, nnz_, matrix_bytes());
    }

    void multiply(const Product<V>& product, cudaStream_t stream) const override {
        const DiaSpmv<V, A> p{
            terms_of<A>(product, rows_, cols_), offsets_.data(), held_.data(), values_.data(), diagonals_, stride_};
        if (staged_blocks_ == 0) {
            launch_dependent(dia_spmv<V, A>, div_up(std::int64_t{rows_}, std::int64_t{kDiaThreads}), kDiaThreads, p,
                             stream);
        } else {
            launch_dependent(staged_dia_spmv<V, A>, staged_blocks_, kDiaStageRows, p, stream, sizeof(DiaStages<V>));
        }
    }

    void replace_values(const V* csr_values, cudaStream_t stream) override {
        if (!map_) throw Error("operator dia keeps no map for new values; make it with dia:updatable=1");
        map_->update(csr_values, {&values_}, stream);
    }

private:
    template <class T>
    DiaOperator(const CsrMatrix<V>& a, const Dia<T>& dia, DeviceBuffer<V> values, std::int64_t staged_blocks,
                const DeviceContext& on)
        : staged_blocks_(staged_blocks),
          rows_(a.rows),
          cols_(a.cols),
          nnz_(a.nnz()),
          tile_rows_(occupied_tile_rows(a.row_ptrs, 0, a.rows)),
          diagonals_(dia.diagonals),
          stride_(dia.stride),
          offsets_(dia.offsets, on),
          held_(dia.held, on),
          values_(std::move(values)) {
        if (staged_blocks_ == 0) return;
        TILESPMV_CUDA(cudaFuncSetAttribute(staged_dia_spmv<V, A>, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                           static_cast<int>(sizeof(DiaStages<V>))));
    }

    std::int64_t staged_blocks_;  ///< 0: not staged
    index_t rows_;
    index_t cols_;
    offset_t nnz_;
    offset_t tile_rows_;
    offset_t diagonals_;
    offset_t stride_;
    DeviceBuffer<DiaOffsets> offsets_;
    DeviceBuffer<std::uint64_t> held_;
    DeviceBuffer<V> values_;
    std::optional<DeviceValueMap<V>> map_;
};

}  // namespace

template <class V>
std::unique_ptr<DeviceOperator<V>> make_dia_operator(const MatrixForms<V>& forms, Options& options,
                                                     Accumulator accumulator, const DeviceContext& on) {
    const Gpu gpu = this_gpu(sizeof(V));
    const index_t rows = forms.csr().rows;
    const bool is_staged = options.flag("staged", stages_dia(rows, gpu)) && has_dependent_launch();
    const auto blocks = std::min<std::int64_t>(div_up(rows, index_t{kDiaStageRows}),
                                               std::int64_t{gpu.multiprocessors} * kDiaStageBlocks);
    const bool updatable = options.flag("updatable", false);
    options.finish();
    return with_accumulator<V>(accumulator, [&]<class A>() -> std::unique_ptr<DeviceOperator<V>> {
        const CsrMatrix<V>& a = forms.csr();
        const std::int64_t staged_blocks = is_staged ? blocks : 0;
        if (!updatable) return std::make_unique<DiaOperator<V, A>>(a, make_dia(a, a.values), staged_blocks, on);
        return with_positions(a.nnz(), [&]<class P>() -> std::unique_ptr<DeviceOperator<V>> {
            return std::make_unique<DiaOperator<V, A>>(a, make_dia(a, csr_positions<P>(a.nnz())), staged_blocks, on);
        });
    });
}

#define TILESPMV_INSTANTIATE(V)                                                                                 \
    template std::unique_ptr<DeviceOperator<V>> make_dia_operator(const MatrixForms<V>&, Options&, Accumulator, \
                                                                  const DeviceContext&);
TILESPMV_FOR_EACH_VALUE(TILESPMV_INSTANTIATE)

}  // namespace tilespmv::cuda
