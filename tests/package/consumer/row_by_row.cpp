// An operator on the CPU that is registered before `main`: every command of tilespmv knows it then.
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include <tilespmv/kernels/cpu/host_operator.hpp>
#include <tilespmv/kernels/registry.hpp>

namespace {

using namespace tilespmv;

/// CSR, a row after the other, on one thread.
class RowByRow final : public cpu::HostOperator<double> {
public:
    explicit RowByRow(const CsrMatrix<double>& a)
        : HostOperator({.name = "row-by-row", .rows = a.rows, .cols = a.cols, .nnz = a.nnz()}), a_(a) {
        const std::size_t bytes = a.row_ptrs.bytes() + a.col_idxs.bytes() + a.values.bytes();
        set_parts(bytes, 0, executed_whole("csr", occupied_tile_rows(a.row_ptrs, 0, a.rows), a.nnz(), bytes));
    }

    /// y = alpha A x + beta y; sizes are right, alpha is not 0. For beta = 0 it must not read y, which may hold NaN.
    void multiply(double alpha, std::span<const double> x, double beta, std::span<double> y) const override {
        for (index_t row = 0; row < a_.rows; ++row) {
            double& out = y[static_cast<std::size_t>(row)];
            out = alpha * sum_of(row, x) + (beta == 0 ? 0 : beta * out);
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
