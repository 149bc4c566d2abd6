#include <array>

#include "kernels/cpu/operators.hpp"
#include "kernels/cpu/simd.hpp"
#include "kernels/cpu/write_rows.hpp"

namespace tilespmv::cpu {
namespace {

template <CpuValue V>
class EllOmp final : public Operator<V> {
public:
    explicit EllOmp(const CsrMatrix<V>& a)
        : nnz_(a.nnz()), tile_rows_(occupied_tile_rows(a.row_ptrs, 0, a.rows)), a_(cuda::make_ell(a, a.values)) {}

    [[nodiscard]] std::string_view name() const override { return "ell-omp"; }
    [[nodiscard]] index_t rows() const override { return a_.rows; }
    [[nodiscard]] index_t cols() const override { return a_.cols; }
    [[nodiscard]] offset_t nnz() const override { return nnz_; }
    [[nodiscard]] std::size_t matrix_bytes() const override { return a_.columns.bytes() + a_.values.bytes(); }
    [[nodiscard]] std::vector<ExecutedPart> executed() const override {
        return executed_whole("ell", tile_rows_, nnz_, matrix_bytes());
    }

    void apply(V alpha, std::span<const V> x, V beta, std::span<V> y) const override {
        check_sizes<V>(*this, x, y);
        if (alpha == V{0}) return scale<V>(beta, y);
        const auto bytes = static_cast<offset_t>(matrix_bytes());
        const index_t grain = rows_of_chunk(a_.rows, bytes);
#pragma omp parallel for schedule(dynamic, 1) if (bytes >= kTuning.parallel_bytes)
        for (std::int64_t first = 0; first < a_.rows; first += grain) {
            const auto end = static_cast<index_t>(std::min<std::int64_t>(first + grain, a_.rows));
            multiply({static_cast<index_t>(first), end}, alpha, x.data(), beta, y.data());
        }
    }

private:
    void multiply(cuda::RowRange rows, V alpha, const V* x, V beta, V* y) const {
        std::array<double, Schedule::kMaxRows> sums;
        std::fill_n(sums.begin(), rows.end - rows.first, 0.0);
        simd_.add_ell(a_, rows, x, sums.data());
        finish<V>(sums.data(), rows.end - rows.first, alpha, beta, y + rows.first);
    }

    offset_t nnz_;
    offset_t tile_rows_;
    cuda::Ell<V> a_;
    const SimdKernels<V>& simd_ = simd_kernels<V>();
};

}  // namespace

template <Value V>
std::unique_ptr<Operator<V>> make_ell_omp(const MatrixForms<V>& forms, Options& options) {
    options.finish();
    return std::make_unique<EllOmp<V>>(forms.csr());
}

template std::unique_ptr<Operator<double>> make_ell_omp(const MatrixForms<double>&, Options&);
template std::unique_ptr<Operator<float>> make_ell_omp(const MatrixForms<float>&, Options&);

}  // namespace tilespmv::cpu
