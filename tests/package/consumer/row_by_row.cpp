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
    explicit RowByRow(const Source<double>& source)
        : HostOperator({.name = "row-by-row",
                        .rows = source.rows(),
                        .cols = source.cols(),
                        .nnz = source.nnz(),
                        .no_new_values = kMakeAgain}),
          source_(source),
          a_(source.csr()) {
        const std::size_t bytes = a_.row_ptrs.bytes() + a_.col_idxs.bytes() + a_.values.bytes();
        set_parts(bytes, 0, executed_whole("csr", occupied_tile_rows(a_.row_ptrs, 0, a_.rows), a_.nnz(), bytes));
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

    Source<double> source_;       // keeps a form that was made for this operator
    const CsrMatrix<double>& a_;  // of the source
};

std::unique_ptr<Operator<double>> make(const Source<double>& source, Options& options, const MakeContext&) {
    options.finish();  // it takes none
    return std::make_unique<RowByRow>(source);
}

[[maybe_unused]] const bool is_registered = [] {
    register_operator<double>({{.name = "row-by-row", .summary = "CSR, a row after the other, one thread"}, make});
    return true;
}();

}  // namespace
