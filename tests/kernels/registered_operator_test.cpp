// An operator of a program's own, registered, and made by its name.
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "kernels/cpu/host_operator.hpp"
#include "kernels/registry.hpp"
#include "tests/support/message_of.hpp"
#include "tile/generate/generate.hpp"

namespace tilespmv {
namespace {

/// CSR, row by row, on one thread.
class RowByRow final : public cpu::HostOperator<double> {
public:
    explicit RowByRow(const CsrMatrix<double>& a)
        : HostOperator({.name = "row-by-row", .rows = a.rows, .cols = a.cols, .nnz = a.nnz()}), a_(a) {
        const std::size_t bytes = a.row_ptrs.bytes() + a.col_idxs.bytes() + a.values.bytes();
        set_parts(bytes, 0, executed_whole("csr", occupied_tile_rows(a.row_ptrs, 0, a.rows), a.nnz(), bytes));
    }

    void multiply(double alpha, std::span<const double> x, double beta, std::span<double> y) const override {
        for (std::size_t row = 0; row < y.size(); ++row) {
            double sum = 0;
            for (auto p = static_cast<std::size_t>(a_.row_ptrs[row]);
                 p < static_cast<std::size_t>(a_.row_ptrs[row + 1]); ++p)
                sum += a_.values[p] * x[static_cast<std::size_t>(a_.col_idxs[p])];
            y[row] = alpha * sum + (beta == 0 ? 0 : beta * y[row]);
        }
    }

private:
    const CsrMatrix<double>& a_;
};

OperatorInfo<double> row_by_row() {
    OperatorInfo<double> info;
    info.name = "row-by-row";
    info.summary = "CSR, row by row";
    info.make = [](const Source<double>& source, Options& options,
                   const MakeContext&) -> std::unique_ptr<Operator<double>> {
        options.finish();
        return std::make_unique<RowByRow>(source.csr());
    };
    return info;
}

TEST(RegisteredOperator, IsMadeByItsName) {
    register_operator(row_by_row());
    EXPECT_EQ(test::message_of([] { register_operator(row_by_row()); }),
              "2: there is an operator 'row-by-row' for the CPU already");
    OperatorInfo<double> nothing;
    nothing.name = "nothing";
    EXPECT_EQ(test::message_of([&] { register_operator(nothing); }),
              "2: the operator 'nothing' has no function that makes it");

    for (const std::string_view name : {"", "a:b,c", "two words", "x=1", "tab\t"}) {
        auto info = row_by_row();
        info.name = name;
        EXPECT_EQ(test::message_of([&] { register_operator(info); }),
                  "2: an operator cannot be called '" + std::string(name) + "': expected letters, digits, '-' and '_'");
    }

    const auto a = generate<double>("laplace2d:n=30");
    const std::vector<double> x(900, 1);
    std::vector<double> y(900);
    make_operator<double>("row-by-row", a)->apply(1, x, 0, y);
    EXPECT_EQ(y[0], 2) << "of 4 and two neighbours";
    EXPECT_NE(make_operator<double>("auto", a)->name(), "row-by-row") << "rules know nothing of it";
}

}  // namespace
}  // namespace tilespmv
