#include "kernels/dia/dia_operator.hpp"

#include <optional>

#include "kernels/accumulator.hpp"
#include "kernels/cuda/csr_positions.hpp"
#include "kernels/cuda/dependent_launch.cuh"
#include "kernels/cuda/device_value_map.cuh"
#include "kernels/cuda/launch.cuh"
#include "kernels/cuda/product.cuh"
#include "kernels/cuda/tuning.hpp"
#include "kernels/dia/dia.hpp"

namespace tilespmv::cuda {
namespace {

constexpr int kBlockThreads = kDiaThreads;

template <class V, class A>
struct DiaSpmv : ProductTerms<V, A> {
    const DiaOffsets* offsets = nullptr;
    const std::uint64_t* held = nullptr;
    const V* values = nullptr;
    offset_t diagonals = 0;
    offset_t stride = 0;
};

/// A group of diagonals at a time. Of a place that is not held some x nearby is read and its product is left out, so
/// that no load depends on a condition.
template <class V, class A>
__global__ void __launch_bounds__(kBlockThreads) dia_spmv(const __grid_constant__ DiaSpmv<V, A> p) {
    const std::int64_t row = std::int64_t{blockIdx.x} * kBlockThreads + threadIdx.x;
    if (row >= p.rows) return;
    constexpr int kGroup = Dia<V>::kGroup;
    A sum = 0;
    for (offset_t first = 0; first < p.diagonals; first += kGroup) {
        const offset_t group = first / kGroup;
        const DiaOffsets offsets = load_wide(p.offsets + group);
        const std::uint64_t held = load_once(p.held + group * (p.stride / 8) + row / 8) >> row % 8;
        V values[kGroup];
        V factors[kGroup];
#pragma unroll
        for (int i = 0; i < kGroup; ++i) {
            values[i] = load_once(p.values + min(first + i, p.diagonals - 1) * p.stride + row);
        }
        wait_for_stream();
#pragma unroll
        for (int i = 0; i < kGroup; ++i) {
            const std::int64_t column = row + offsets.of[i];
            factors[i] = load_x(p.x + min(max(column, std::int64_t{0}), std::int64_t{p.cols} - 1));
        }
#pragma unroll
        for (int i = 0; i < kGroup; ++i) {
            if ((held >> 8 * i & 1) != 0) sum += static_cast<A>(values[i]) * static_cast<A>(factors[i]);
        }
    }
    wait_for_stream();  // a matrix without diagonals, too
    p.write(row, sum);
}

template <class V, class A>
class DiaOperator final : public DeviceOperator<V> {
public:
    DiaOperator(const CsrMatrix<V>& a, bool updatable, const DeviceContext& on)
        : DiaOperator(a, make_dia(a, a.values), updatable, on) {}

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
        launch_dependent(dia_spmv<V, A>, div_up(std::int64_t{rows_}, std::int64_t{kBlockThreads}), kBlockThreads, p,
                         stream);
    }

    void replace_values(const V* csr_values, cudaStream_t stream) override {
        if (!map_) throw Error("operator dia keeps no map for new values; make it with dia:updatable=1");
        map_->update(csr_values, {&values_}, stream);
    }

private:
    DiaOperator(const CsrMatrix<V>& a, const Dia<V>& dia, bool updatable, const DeviceContext& on)
        : rows_(a.rows),
          cols_(a.cols),
          nnz_(a.nnz()),
          tile_rows_(occupied_tile_rows(a.row_ptrs, 0, a.rows)),
          diagonals_(dia.diagonals),
          stride_(dia.stride),
          offsets_(dia.offsets, on),
          held_(dia.held, on),
          values_(dia.values, on) {
        TILESPMV_CUDA(cudaStreamSynchronize(on));  // the host's copies go away
        if (!updatable) return;
        const auto positions = [&]<class P>() {
            const Buffer<P> in_order = csr_positions<P>(nnz_);
            std::vector<Buffer<P>> all;
            all.push_back(make_dia(a, in_order).values);
            return all;
        };
        map_.emplace(nnz_, positions, on);
    }

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
    const bool updatable = options.flag("updatable", false);
    options.finish();
    return with_accumulator<V>(accumulator, [&]<class A>() -> std::unique_ptr<DeviceOperator<V>> {
        return std::make_unique<DiaOperator<V, A>>(forms.csr(), updatable, on);
    });
}

#define TILESPMV_INSTANTIATE(V)                                                                                 \
    template std::unique_ptr<DeviceOperator<V>> make_dia_operator(const MatrixForms<V>&, Options&, Accumulator, \
                                                                  const DeviceContext&);
TILESPMV_FOR_EACH_VALUE(TILESPMV_INSTANTIATE)

}  // namespace tilespmv::cuda
