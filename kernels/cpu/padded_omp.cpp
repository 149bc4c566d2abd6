#include <array>

#include "kernels/cpu/operators.hpp"
#include "kernels/cpu/simd.hpp"
#include "kernels/cpu/write_rows.hpp"

namespace tilespmv::cpu {
namespace {

/// Rows padded to the same places: `ell-omp` and `dia-omp`, which differ in the loop over the places of some rows.
template <CpuValue V, class Padded>
class PaddedOmp final : public Operator<V> {
public:
    using AddRows = void (*)(const Padded&, cuda::RowRange, const V* x, double* sums);

    PaddedOmp(std::string_view format, std::string_view name, const CsrMatrix<V>& a, Padded padded, AddRows add)
        : format_(format),
          name_(name),
          nnz_(a.nnz()),
          source_(a.values.data()),
          tile_rows_(occupied_tile_rows(a.row_ptrs, 0, a.rows)),
          a_(std::move(padded)),
          add_(add) {}

    [[nodiscard]] std::string_view name() const override { return name_; }
    [[nodiscard]] index_t rows() const override { return a_.rows; }
    [[nodiscard]] index_t cols() const override { return a_.cols; }
    [[nodiscard]] offset_t nnz() const override { return nnz_; }
    [[nodiscard]] std::size_t matrix_bytes() const override { return a_.bytes(); }
    [[nodiscard]] std::vector<ExecutedPart> executed() const override {
        return executed_whole(format_, tile_rows_, nnz_, matrix_bytes());
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

    bool take_new_values(const CsrMatrix<V>& a) override {
        if (a.values.data() != source_) return false;
        cuda::put_values(a, a_);
        return true;
    }

private:
    void multiply(cuda::RowRange rows, V alpha, const V* x, V beta, V* y) const {
        std::array<double, Schedule::kMaxRows> sums;
        std::fill_n(sums.begin(), div_up(rows.end - rows.first, 8) * 8, 0.0);
        add_(a_, rows, x, sums.data());
        finish<V>(sums.data(), rows.end - rows.first, alpha, beta, y + rows.first);
    }

    std::string_view format_;
    std::string_view name_;
    offset_t nnz_;
    const V* source_;  // values of the CSR matrix, to know it again
    offset_t tile_rows_;
    Padded a_;
    AddRows add_;
};

}  // namespace

template <Value V>
std::unique_ptr<Operator<V>> make_ell_omp(const MatrixForms<V>& forms, Options& options) {
    options.finish();
    const auto& a = forms.csr();
    return std::make_unique<PaddedOmp<V, cuda::Ell<V>>>("ell", "ell-omp", a, cuda::make_ell(a),
                                                        simd_kernels<V>().add_ell);
}

template <Value V>
std::unique_ptr<Operator<V>> make_dia_omp(const MatrixForms<V>& forms, Options& options) {
    options.finish();
    const auto& a = forms.csr();
    return std::make_unique<PaddedOmp<V, cuda::Dia<V>>>("dia", "dia-omp", a, cuda::make_dia(a),
                                                        simd_kernels<V>().add_dia);
}

template std::unique_ptr<Operator<double>> make_ell_omp(const MatrixForms<double>&, Options&);
template std::unique_ptr<Operator<float>> make_ell_omp(const MatrixForms<float>&, Options&);
template std::unique_ptr<Operator<double>> make_dia_omp(const MatrixForms<double>&, Options&);
template std::unique_ptr<Operator<float>> make_dia_omp(const MatrixForms<float>&, Options&);

}  // namespace tilespmv::cpu
