// An operator of a program's own, registered, and made by its name.
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "kernels/auto/machine_ranking.hpp"
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
    EXPECT_NE(make_operator<double>("auto", a)->specification(), "row-by-row") << "it predicts nothing";
}

/// Registers it under this name, with what it predicts of itself.
void register_predicting(std::string_view name, std::optional<Prediction> (*predict)(const MatrixFeatures&)) {
    auto info = row_by_row();
    info.name = name;
    info.new_values = NewValues::always;
    info.predict = predict;
    register_operator(info);
}

TEST(RegisteredOperator, IsTakenByAutoWhereItPredictsTheLeastTime) {
    register_predicting("slow", [](const MatrixFeatures&) { return std::optional(Prediction{1, 0, 12}); });
    const auto a = generate<double>("laplace2d:n=30");
    EXPECT_NE(make_operator<double>(a)->specification(), "slow");

    register_predicting("for-grids", [](const MatrixFeatures& f) -> std::optional<Prediction> {
        if (f.diagonals > 5) return std::nullopt;
        return Prediction{.seconds = 1e-12, .preparation_seconds = 1, .matrix_bytes = 12.0 * f.nnz};
    });
    EXPECT_EQ(make_operator<double>(a)->specification(), "for-grids");
    EXPECT_EQ(make_operator<double>("auto", a)->specification(), "for-grids");
    EXPECT_NE(make_operator<double>("auto:products=10", a)->specification(), "for-grids") << "its preparation";
    const auto scattered = generate<double>("uniform:n=900,per_row=6");
    EXPECT_NE(make_operator<double>(scattered)->specification(), "for-grids") << "which it says it does not suit";
    EXPECT_NE(make_operator<float>(generate<float>("laplace2d:n=30"))->specification(), "for-grids")
        << "registered for float64 alone";

    const auto ranked = rank_on_this_machine<double>(pattern_of(a), Backend::cpu);
    EXPECT_EQ(ranked.front().specification, "for-grids");
    EXPECT_EQ(why(ranked.front(), a.nnz()), "12.0 bytes a nonzero; by its own prediction");
    EXPECT_EQ(ranked.back().specification, "slow");
}

TEST(RegisteredOperator, OfWrongPredictionsIsRefused) {
    auto info = row_by_row();
    info.name = "fixed";
    info.predict = [](const MatrixFeatures&) { return std::optional(Prediction{}); };
    EXPECT_EQ(test::message_of([&] { register_operator(info); }),
              "2: the operator 'fixed' predicts its time for auto, whose operators always take new values");

    OperatorInfo<float> endless;
    endless.name = "endless";
    endless.new_values = NewValues::always;
    endless.make = [](const Source<float>&, Options&, const MakeContext&) {
        return std::unique_ptr<Operator<float>>();
    };
    endless.predict = [](const MatrixFeatures& f) {
        return f.rows == 9 ? std::optional(Prediction{.seconds = -1}) : std::nullopt;
    };
    register_operator(endless);
    EXPECT_EQ(test::message_of([] { (void)make_operator<float>(generate<float>("laplace2d:n=3")); }),
              "1: operator 'endless' predicts -1 seconds for a product and 0 for its preparation");
}

}  // namespace
}  // namespace tilespmv
