#include "kernels/cpu/coo_rows.hpp"
#include "kernels/cpu/operators.hpp"
#include "kernels/cpu/write_rows.hpp"

namespace tilespmv::cpu {
namespace {

template <CpuValue V>
class CooOmp final : public Operator<V> {
public:
    explicit CooOmp(const CsrMatrix<V>& a)
        : tile_rows_(occupied_tile_rows(a.row_ptrs, 0, a.rows)),
          a_(cuda::make_coo(a)),
          empty_rows_(cuda::empty_rows(a.row_ptrs)) {}

    [[nodiscard]] std::string_view name() const override { return "coo-omp"; }
    [[nodiscard]] index_t rows() const override { return a_.rows; }
    [[nodiscard]] index_t cols() const override { return a_.cols; }
    [[nodiscard]] offset_t nnz() const override { return a_.nnz(); }
    [[nodiscard]] std::size_t matrix_bytes() const override { return a_.bytes() + empty_rows_.bytes(); }
    [[nodiscard]] std::vector<ExecutedPart> executed() const override {
        return executed_whole("coo", tile_rows_, nnz(), matrix_bytes());
    }

    void apply(V alpha, std::span<const V> x, V beta, std::span<V> y) const override {
        check_sizes<V>(*this, x, y);
        if (alpha == V{0}) return scale<V>(beta, y);
        const auto write = [&](std::int64_t row, double sum) { finish<V>(&sum, 1, alpha, beta, y.data() + row); };
#pragma omp parallel if (static_cast <offset_t>(matrix_bytes()) >= kTuning.parallel_bytes)
        {
            nonzeros_.multiply(x.data(), write);
#pragma omp for schedule(static)
            for (std::size_t i = 0; i < empty_rows_.size(); ++i) write(empty_rows_[i], 0.0);
        }
    }

private:
    offset_t tile_rows_;
    cuda::Coo<V> a_;
    Buffer<std::uint32_t> empty_rows_;
    CooRows<V> nonzeros_{a_};
};

}  // namespace

template <Value V>
std::unique_ptr<Operator<V>> make_coo_omp(const MatrixForms<V>& forms, Options& options) {
    options.finish();
    return std::make_unique<CooOmp<V>>(forms.csr());
}

template std::unique_ptr<Operator<double>> make_coo_omp(const MatrixForms<double>&, Options&);
template std::unique_ptr<Operator<float>> make_coo_omp(const MatrixForms<float>&, Options&);

}  // namespace tilespmv::cpu
