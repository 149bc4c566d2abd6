// An operator on the CPU that is registered before `main`: every command of tilespmv knows it then.
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include <tilespmv/kernels/executed.hpp>
#include <tilespmv/kernels/registry.hpp>

namespace {

using namespace tilespmv;

/// CSR, a row after the other, on one thread.
class RowByRow final : public Operator<double> {
public:
    explicit RowByRow(const CsrMatrix<double>& a) : a_(a) {}

    [[nodiscard]] std::string_view name() const override { return "row-by-row"; }
    [[nodiscard]] index_t rows() const override { return a_.rows; }
    [[nodiscard]] index_t cols() const override { return a_.cols; }
    [[nodiscard]] offset_t nnz() const override { return a_.nnz(); }
    [[nodiscard]] std::size_t matrix_bytes() const override {
        return a_.row_ptrs.bytes() + a_.col_idxs.bytes() + a_.values.bytes();
    }
    [[nodiscard]] std::vector<ExecutedPart> executed() const override {
        return executed_whole("csr", occupied_tile_rows(a_.row_ptrs, 0, a_.rows), nnz(), matrix_bytes());
    }

    /// y = alpha A x + beta y. For beta = 0 it must not read y, which may hold NaN, for alpha = 0 neither A nor x.
    void apply(double alpha, std::span<const double> x, double beta, std::span<double> y) const override {
        check_sizes<double>(*this, x, y);
        for (index_t row = 0; row < a_.rows; ++row) {
            double& out = y[static_cast<std::size_t>(row)];
            out = (alpha == 0 ? 0 : alpha * sum_of(row, x)) + (beta == 0 ? 0 : beta * out);
        }
    }

private:
    [[nodiscard]] double sum_of(index_t row, std::span<const double> x) const {
        double sum = 0;
        for (offset_t k = a_.row_ptrs[row]; k < a_.row_ptrs[row + 1]; ++k) {
            sum += a_.values[k] * x[static_cast<std::size_t>(a_.col_idxs[k])];
        }
        return sum;
    }

    const CsrMatrix<double>& a_;
};

std::unique_ptr<Operator<double>> make(const MatrixForms<double>& forms, Options& options) {
    options.finish();  // it takes none
    return std::make_unique<RowByRow>(forms.csr());
}

[[maybe_unused]] const bool is_registered = [] {
    register_operator<double>({{.name = "row-by-row", .summary = "CSR, a row after the other, one thread"}, make});
    return true;
}();

}  // namespace
