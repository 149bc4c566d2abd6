// Every end of a solve, each by a system that has it.
#include <numeric>

#include <gtest/gtest.h>

#include "kernels/cpu/host_operator.hpp"
#include "kernels/registry.hpp"
#include "kernels/solver/solve.hpp"
#include "tests/kernels/solver/systems.hpp"
#include "tile/generate/generate.hpp"

namespace tilespmv::testing {
namespace {

using namespace tilespmv::solver;

class Ends : public ::testing::TestWithParam<Method> {
protected:
    static SolveReport solve(const CsrMatrix<double>& a, const std::vector<double>& b, const SolveOptions& options = {},
                             const std::string& m = "none") {
        Solver<double> solver(a.clone(), {.preconditioner = m, .method = GetParam()});
        x_.assign(b.size(), 3);
        return solver.solve(b, x_, options);
    }
    static inline std::vector<double> x_;
};

INSTANTIATE_TEST_SUITE_P(Methods, Ends, ::testing::ValuesIn(kMethods), [](const auto& method) {
    return method.param == Method::textbook ? "Textbook" : "ChronopoulosGear";
});

TEST_P(Ends, Limit) {
    const auto a = generate<double>("laplace2d:n=20");
    const auto report = solve(a, right_hand_side(a.rows), {.max_iterations = 5});
    EXPECT_EQ(report.end, End::limit);
    EXPECT_EQ(report.iterations, 5);
    EXPECT_NEAR(report.residual, true_residual(a, right_hand_side(a.rows), x_), 1e-12);
    EXPECT_GT(report.residual, report.tolerance);
}

TEST_P(Ends, TheLimitHoldsBetweenChecks) {
    const auto a = generate<double>("laplace2d:n=20");
    EXPECT_EQ(solve(a, right_hand_side(a.rows), {.max_iterations = 5, .check_every = 3}).iterations, 5);
}

TEST_P(Ends, StagnatedWhereTheToleranceIsBelowRounding) {
    for (const auto* spec : {"laplace2d:n=20", "laplace2d:n=2", "elasticity:n=4"}) {
        const auto a = generate<double>(spec);
        const auto b = right_hand_side(a.rows);
        const auto report = solve(a, b, {.rtol = 0, .max_iterations = 100000});
        // A small system may be solved to the last bit.
        EXPECT_TRUE(report.end == End::stagnated || report.residual == 0) << spec << ": " << describe(report);
        EXPECT_LT(true_residual(a, b, x_), 1e-11 * eigen(b).norm()) << spec;
        EXPECT_GT(report.restarts, 0) << spec;
    }
}

/// An operator whose products are wrong from one on, to another.
class WrongProducts final : public cpu::HostOperator<double> {
public:
    WrongProducts(const Operator<double>& right, int first, int last, double error)
        : HostOperator(right.facts()), right_(right), first_(first), last_(last), error_(error) {}
    void multiply(double alpha, std::span<const double> x, double beta, std::span<double> y) const override {
        right_.apply(alpha, x, beta, y);
        ++products_;
        if (products_ >= first_ && products_ <= last_) y[7] += error_;
    }

private:
    const Operator<double>& right_;
    int first_;
    int last_;
    double error_;
    mutable int products_ = 0;
};

TEST_P(Ends, ConvergedAfterARestartWhereTheRecurrenceHasLostTheResidual) {
    const auto a = generate<double>("laplace2d:n=20");
    const auto b = right_hand_side(a.rows);
    const auto op = make_operator<double>("csr-omp", a);
    const WrongProducts once(*op, 12, 12, 1);
    std::vector<double> x(b.size());
    const auto report = Solver<double>(once, nullptr, {.method = GetParam()}).solve(b, x);
    EXPECT_TRUE(report.converged()) << describe(report);
    EXPECT_GE(report.restarts, 1);
    EXPECT_LE(true_residual(a, b, x), report.tolerance);
    std::vector<double> expected(b.size());
    EXPECT_EQ(Solver<double>(*op, nullptr, {.method = GetParam()}).solve(b, expected).restarts, 0);
}

TEST_P(Ends, StagnatedWhereNothingHelps) {
    // An inconsistent singular system: the residual cannot fall below the mean of b.
    const auto a = path_laplacian(200);
    const auto report = solve(a, right_hand_side(200), {.max_iterations = 1000000, .stagnation_iterations = 500});
    EXPECT_FALSE(report.converged());
    EXPECT_NE(report.end, End::limit);
}

TEST_P(Ends, NotPositiveDefinite) {
    auto a = generate<double>("laplace2d:n=10");
    for (std::size_t row = 0; row < 100; ++row) {
        for (auto p = static_cast<std::size_t>(a.row_ptrs[row]); p < static_cast<std::size_t>(a.row_ptrs[row + 1]);
             ++p) {
            if (a.col_idxs[p] == static_cast<index_t>(row)) a.values[p] -= 3;  // eigenvalues on both sides of 0
        }
    }
    EXPECT_EQ(solve(a, right_hand_side(100)).end, End::not_positive_definite);
    EXPECT_EQ(solve(a, right_hand_side(100), {.check_every = 50}).end, End::not_positive_definite);
    for (double& value : a.values) value = -value;
    EXPECT_EQ(solve(a, std::vector<double>(100, 1.0)).end, End::not_positive_definite);
}

TEST_P(Ends, NotPositiveDefinitePreconditioner) {
    const auto a = generate<double>("laplace2d:n=5");
    std::map<std::pair<index_t, index_t>, double> entries;
    for (index_t i = 0; i < 25; ++i) entries[{i, i}] = -1;
    const auto minus_one = matrix_of_entries(25, entries);
    const auto op = make_operator<double>("csr-omp", a);
    const auto m = make_operator<double>("csr-omp", minus_one);
    std::vector<double> x(25);
    const auto report = Solver<double>(*op, m.get(), {.method = GetParam()}).solve(right_hand_side(25), x);
    EXPECT_EQ(report.end, End::not_positive_definite);
    EXPECT_EQ(report.iterations, 0);
}

TEST_P(Ends, NotANumber) {
    const auto a = generate<double>("laplace2d:n=10");
    auto b = right_hand_side(100);
    for (const double bad : {std::nan(""), HUGE_VAL}) {
        auto broken = a.clone();
        broken.values[17] = bad;
        EXPECT_EQ(solve(broken, b).end, End::not_a_number);
        auto broken_b = b;
        broken_b[3] = bad;
        EXPECT_EQ(solve(a, broken_b).end, End::not_a_number);
    }
}

TEST_P(Ends, NotANumberWhileResidualsAreCompared) {
    const auto a = generate<double>("laplace2d:n=20");
    const auto b = right_hand_side(a.rows);
    const auto op = make_operator<double>("csr-omp", a);
    for (const int compare_every : {1, 3, 100}) {
        const WrongProducts broken(*op, 12, 1'000'000, std::nan(""));
        std::vector<double> x(b.size());
        const auto report =
            Solver<double>(broken, nullptr, {.method = GetParam()}).solve(b, x, {.compare_every = compare_every});
        EXPECT_EQ(report.end, End::not_a_number) << compare_every << ": " << describe(report);
    }
}

TEST_P(Ends, Stopped) {
    const auto a = generate<double>("laplace2d:n=20");
    const auto report =
        solve(a, right_hand_side(a.rows), {.on_check = [](const Check& check) { return check.iteration < 3; }});
    EXPECT_EQ(report.end, End::stopped);
    EXPECT_EQ(report.iterations, 3);
}

TEST_P(Ends, AZeroRightHandSideHasTheSolutionZero) {
    const auto a = generate<double>("laplace2d:n=20");
    const auto report = solve(a, std::vector<double>(400), {.start_from_x = true});
    EXPECT_TRUE(report.converged());
    EXPECT_EQ(report.iterations, 0);
    EXPECT_EQ(x_, std::vector<double>(400));
}

// Their squares are no numbers: it is solved for times a power of two, which changes no bit.
TEST_P(Ends, RightHandSidesOfAnySize) {
    const auto a = generate<double>("laplace2d:n=20");
    const auto b = right_hand_side(a.rows);
    const auto expected = solve(a, b, {.atol = 1e-30});
    ASSERT_TRUE(expected.converged());
    const auto x = x_;
    for (const int exponent : {-900, -500, -200, 200, 500, 900}) {
        auto scaled = b;
        for (double& value : scaled) value = std::ldexp(value, exponent);
        double seen = 0;
        const auto report = solve(a, scaled, {.atol = std::ldexp(1e-30, exponent), .on_check = [&](const Check& c) {
                                                  seen = std::max(seen, c.residual);
                                                  return true;
                                              }});
        EXPECT_TRUE(report.converged()) << exponent << ": " << describe(report);
        EXPECT_EQ(report.iterations, expected.iterations) << exponent;
        EXPECT_EQ(report.rhs_norm, std::ldexp(expected.rhs_norm, exponent));
        EXPECT_EQ(report.residual, std::ldexp(expected.residual, exponent));
        EXPECT_EQ(report.tolerance, std::ldexp(expected.tolerance, exponent));
        EXPECT_EQ(report.history.back().residual, std::ldexp(expected.history.back().residual, exponent));
        EXPECT_GE(seen, report.first_residual);
        EXPECT_LT(seen, 1e3 * report.first_residual);
        for (std::size_t i = 0; i < x.size(); ++i) ASSERT_EQ(x_[i], std::ldexp(x[i], exponent)) << exponent;
    }
}

TEST_P(Ends, AGuessForATinyRightHandSide) {
    const auto a = generate<double>("laplace2d:n=20");
    std::vector<double> b(400, 1e-250);
    Solver<double> solver(a.clone(), {.method = GetParam()});
    std::vector<double> x(400);
    EXPECT_TRUE(solver.solve(b, x).converged());
    EXPECT_EQ(solver.solve(b, x, {.rtol = 1e-6, .start_from_x = true}).iterations, 0);
}

TEST_P(Ends, NoUnknowns) { EXPECT_TRUE(solve(matrix_of_entries(0, {}), {}).converged()); }

TEST_P(Ends, AnAbsoluteToleranceIsEnough) {
    const auto a = generate<double>("laplace2d:n=20");
    const auto b = right_hand_side(a.rows);
    const auto report = solve(a, b, {.rtol = 0, .atol = 1e-3});
    EXPECT_TRUE(report.converged());
    EXPECT_EQ(report.tolerance, 1e-3);
    EXPECT_LE(true_residual(a, b, x_), 1e-3);
    EXPECT_GT(true_residual(a, b, x_), 1e-6);
}

TEST_P(Ends, AConstantNullSpaceIsKeptOut) {
    const auto a = path_laplacian(200);
    const auto b = right_hand_side(200);
    const double mean = eigen(b).mean();
    for (const auto* m : {"none", "jacobi", "ssor-ai:w=1.2"}) {
        Solver<double> solver(a.clone(), {.preconditioner = m, .method = GetParam(), .constant_null_space = true});
        std::vector<double> x(200);
        const auto report = solver.solve(b, x);
        EXPECT_TRUE(report.converged()) << m << ": " << describe(report);
        auto consistent = b;
        for (double& value : consistent) value -= mean;
        EXPECT_LE(true_residual(a, consistent, x), 1.01e-8 * eigen(consistent).norm());
        EXPECT_NEAR(eigen(x).mean(), 0, 1e-9);
        const std::vector<double> constant(200, 5.0);
        EXPECT_TRUE(solver.solve(constant, x).converged());
        EXPECT_EQ(x, std::vector<double>(200));
    }
}

}  // namespace
}  // namespace tilespmv::testing
