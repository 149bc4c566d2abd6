// An operator on the CPU that is registered before `main`: every command of tilespmv knows it then.
#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include <tilespmv/kernels/cpu/host_operator.hpp>
#include <tilespmv/kernels/registry.hpp>
#include <tilespmv/selector/auto/matrix_features.hpp>

namespace {

using namespace tilespmv;

/// CSR, a row after the other, on one thread.
class RowByRow final : public cpu::HostOperator<double> {
public:
    explicit RowByRow(const Source<double>& source)
        : HostOperator({.name = "row-by-row", .rows = source.rows(), .cols = source.cols(), .nnz = source.nnz()}),
          source_(source),
          a_(source.csr()),
          values_(a_.values.begin(), a_.values.end()) {
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

    void replace_values(std::span<const double> values) override { values_.assign(values.begin(), values.end()); }

private:
    [[nodiscard]] double sum_of(index_t row, std::span<const double> x) const {
        double sum = 0;
        for (offset_t k = a_.row_ptrs[row]; k < a_.row_ptrs[row + 1]; ++k) {
            sum += values_[static_cast<std::size_t>(k)] * x[static_cast<std::size_t>(a_.col_idxs[k])];
        }
        return sum;
    }

    Source<double> source_;       // keeps a form that was made for this operator
    const CsrMatrix<double>& a_;  // of the source
    std::vector<double> values_;  // a copy, for new ones
};

std::unique_ptr<Operator<double>> make(const Source<double>& source, Options& options, const MakeContext&) {
    options.finish();  // it takes none
    return std::make_unique<RowByRow>(source);
}

/// What `auto` compares with the others: a matrix of few nonzeros needs no other thread.
std::optional<Prediction> predict(const MatrixFeatures& f) {
    if (f.nnz > 1000) return std::nullopt;  // it does not suit others
    const auto rows = static_cast<double>(f.rows), nnz = static_cast<double>(f.nnz);
    return Prediction{.seconds = 1e-10 * nnz, .preparation_seconds = 1e-10 * nnz, .matrix_bytes = 8 * rows + 12 * nnz};
}

[[maybe_unused]] const bool is_registered = [] {
    register_operator<double>({{.name = "row-by-row",
                                .summary = "CSR, a row after the other, one thread",
                                .new_values = NewValues::always,
                                .predict = predict},
                               make});
    return true;
}();

}  // namespace
