// Every end of a solve on a GPU, and what is seen on the way, by graphs and by the persistent kernel; ends_test.cpp has
// the same on the CPU.
#include <algorithm>
#include <cmath>
#include <utility>

#include "kernels/check.hpp"
#include "kernels/solver/solve.hpp"
#include "tests/kernels/cuda/device_fixture.hpp"
#include "tile/generate/generate.hpp"

namespace tilespmv::testing {
namespace {

using namespace tilespmv::solver;

enum class Blocks { graphs, persistent };

double norm(const std::vector<double>& v) {
    double sum = 0;
    for (const double value : v) sum += value * value;
    return std::sqrt(sum);
}

double true_residual(const CsrMatrix<double>& a, const std::vector<double>& b, const std::vector<double>& x) {
    const auto expected = expected_product<double>(a, -1, x, 1, b);
    std::vector<double> r;
    for (const auto& row : expected.rows) r.push_back(row.value);
    return norm(r);
}

class EndsOnDevice : public OnDevice, public ::testing::WithParamInterface<std::tuple<Method, Blocks>> {
protected:
    [[nodiscard]] static Solver<double> solver_of(const CsrMatrix<double>& a) {
        const bool is_persistent = std::get<Blocks>(GetParam()) == Blocks::persistent;
        return {a.clone(),
                {.backend = Backend::cuda,
                 .operator_name = "csr-vector",
                 .preconditioner = "none",
                 .method = std::get<Method>(GetParam()),
                 .use_persistent_kernel = is_persistent,
                 .persistent_at_any_size = is_persistent}};
    }
    SolveReport solve(const CsrMatrix<double>& a, const std::vector<double>& b, const SolveOptions& options = {}) {
        auto solver = solver_of(a);
        EXPECT_EQ(solver.is_persistent(), std::get<Blocks>(GetParam()) == Blocks::persistent);
        x_.resize(b.size(), 3);
        return solver.solve(b, x_, options);
    }
    SolveReport solve(const SolveOptions& options = {}) { return solve(a_, b_, options); }
    /// What the report says of x is so.
    void expect_residual(const SolveReport& report, double rounding = 1e-12) const {
        EXPECT_NEAR(report.residual, true_residual(a_, b_, x_), rounding * norm(b_));
    }

    const CsrMatrix<double> a_ = generate<double>("laplace2d:n=20");
    const std::vector<double> b_ = numbers<double>(a_.rows, 1);
    std::vector<double> x_;
};

std::string name_of(const ::testing::TestParamInfo<EndsOnDevice::ParamType>& tested) {
    return std::string(std::get<Method>(tested.param) == Method::textbook ? "Textbook" : "ChronopoulosGear") +
           (std::get<Blocks>(tested.param) == Blocks::graphs ? "Graphs" : "Persistent");
}

INSTANTIATE_TEST_SUITE_P(Methods, EndsOnDevice,
                         ::testing::Combine(::testing::Values(Method::textbook, Method::chronopoulos_gear),
                                            ::testing::Values(Blocks::graphs, Blocks::persistent)),
                         name_of);

TEST_P(EndsOnDevice, Limit) {
    for (const int check_every : {0, 1, 3}) {  // 0: more than the limit
        const auto report = solve({.max_iterations = 5, .check_every = check_every});
        EXPECT_EQ(report.end, End::limit);
        EXPECT_EQ(report.iterations, 5);
        EXPECT_GT(report.residual, report.tolerance);
        expect_residual(report);
    }
}

TEST_P(EndsOnDevice, StagnatedWhereTheToleranceIsBelowRounding) {
    const auto report = solve({.rtol = 0, .max_iterations = 100'000});
    EXPECT_EQ(report.end, End::stagnated) << describe(report);
    EXPECT_GT(report.restarts, 0);
    EXPECT_LT(report.residual, 1e-11 * norm(b_));
    expect_residual(report);
}

// Where couplings jump the residual rises before it falls.
TEST_P(EndsOnDevice, StagnatedWhereTheResidualDoesNotFall) {
    const auto a = generate<double>("laplace2d:n=20,jump=1000,block=5");
    const auto report = solve(a, b_, {.check_every = 1, .stagnation_iterations = 5});
    EXPECT_EQ(report.end, End::stagnated) << describe(report);
    EXPECT_LT(report.iterations, 100);
    EXPECT_EQ(solve(a, b_).end, End::converged);
}

TEST_P(EndsOnDevice, NotANumber) {
    for (const double bad : {kNaN, kInf}) {
        auto a = a_.clone();
        a.values[17] = bad;
        EXPECT_EQ(solve(a, b_).end, End::not_a_number);
        auto b = b_;
        b[3] = bad;
        EXPECT_EQ(solve(a_, b).end, End::not_a_number);
    }
}

TEST_P(EndsOnDevice, NotANumberFromOneIterationOn) {
    auto broken = a_.clone();
    broken.values[17] = kNaN;
    for (const int compare_every : {1, 500}) {
        auto solver = solver_of(a_);
        std::vector<double> x(b_.size());
        const auto report =
            solver.solve(b_, x, {.check_every = 4, .compare_every = compare_every, .on_check = [&](const Check& check) {
                                     if (check.iteration == 8) solver.update_values(broken.values);
                                     return true;
                                 }});
        EXPECT_EQ(report.end, End::not_a_number) << describe(report);
        EXPECT_LE(report.iterations, 12);
        EXPECT_GE(report.iterations, 8);
    }
}

// From a guess of this size x keeps roundings that the recurrence does not see.
TEST_P(EndsOnDevice, ConvergedAfterARestartWhereTheRecurrenceHasLostTheResidual) {
    x_.assign(b_.size(), 1e12);
    const auto report = solve({.start_from_x = true});
    EXPECT_TRUE(report.converged()) << describe(report);
    EXPECT_GE(report.restarts, 1);
    EXPECT_LE(true_residual(a_, b_, x_), report.tolerance);
    EXPECT_EQ(solve().restarts, 0);
}

/// Of both, as they are solved for on the GPU.
std::pair<CsrMatrix<double>, std::vector<double>> times(const CsrMatrix<double>& a, const std::vector<double>& b,
                                                        double factor) {
    auto scaled = a.clone();
    for (double& value : scaled.values) value *= factor;
    auto scaled_b = b;
    for (double& value : scaled_b) value *= factor;
    return {std::move(scaled), std::move(scaled_b)};
}

TEST_P(EndsOnDevice, ConvergedForNumbersOfAnySize) {
    for (const double size : {1e-290, 1e-95, 1e95, 1e290}) {
        const auto [a, b] = times(a_, b_, size);
        x_.assign(b.size(), 1e200);  // a guess that is worth nothing
        const auto report = solve(a, b, {.start_from_x = true});
        EXPECT_TRUE(report.converged()) << size << ": " << describe(report);
        EXPECT_LE(true_residual(a_, b_, x_), 1.001e-8 * norm(b_)) << size;
    }
}

TEST_P(EndsOnDevice, NotANumberWhereXIsOutOfRange) {
    auto a = a_.clone();
    for (double& value : a.values) value *= 1e-10;
    EXPECT_EQ(solve(a, std::vector<double>(b_.size(), 1e300)).end, End::not_a_number);
}

TEST_P(EndsOnDevice, NotANumberWhereOnlyTheMatrixIsNone) {
    auto a = a_.clone();
    a.values[17] = kInf;
    EXPECT_EQ(solve(a, std::vector<double>(b_.size(), 0)).end, End::not_a_number);
    const auto report = solve(a_, std::vector<double>(b_.size(), 0), {.start_from_x = true});
    EXPECT_TRUE(report.converged());
    EXPECT_EQ(x_, std::vector<double>(b_.size()));
}

TEST_P(EndsOnDevice, SingularWhereBIsNotInTheRange) {
    auto a = a_.clone();  // to a Laplacian whose rows add up to 0
    for (std::size_t row = 0; row < b_.size(); ++row) {
        for (offset_t p = a.row_ptrs[row]; p < a.row_ptrs[row + 1]; ++p) {
            if (a.col_idxs[static_cast<std::size_t>(p)] == static_cast<index_t>(row))
                a.values[static_cast<std::size_t>(p)] = static_cast<double>(a.row_ptrs[row + 1] - a.row_ptrs[row] - 1);
        }
    }
    const auto report = solve(a, std::vector<double>(b_.size(), 1.0), {.check_every = 4});
    EXPECT_NE(report.end, End::converged) << describe(report);
    EXPECT_LE(report.iterations, 4);
    auto b = b_;
    b[0] += 1;
    const auto other = solve(a, b);
    EXPECT_EQ(other.end, End::singular) << describe(other);
    EXPECT_LE(other.iterations, 400);
}

TEST_P(EndsOnDevice, ANullSpaceThatTheMatrixDoesNotHaveIsRefused) {
    EXPECT_THROW(Solver<double>(a_.clone(), {.backend = Backend::cuda, .constant_null_space = true}), Error);
}

TEST_P(EndsOnDevice, Stopped) {
    for (const int check_every : {1, 4, 0}) {
        int calls = 0;
        const auto report = solve({.check_every = check_every, .on_check = [&](const Check&) { return ++calls < 2; }});
        EXPECT_EQ(report.end, End::stopped);
        EXPECT_EQ(report.iterations, check_every == 0 ? 32 : check_every);
        EXPECT_EQ(calls, 2);
        expect_residual(report);
    }
}

TEST_P(EndsOnDevice, ShowsWhatTheIterationHas) {
    std::vector<Check> seen;
    const auto report = solve({.check_every = 8, .on_check = [&](const Check& check) {
                                   seen.push_back(check);
                                   return true;
                               }});
    ASSERT_TRUE(report.converged()) << describe(report);
    ASSERT_GT(seen.size(), 3U);
    EXPECT_EQ(seen.back().iteration, report.iterations);
    for (std::size_t i = 0; i < seen.size(); ++i) {
        if (i + 1 < seen.size()) {
            EXPECT_EQ(seen[i].iteration, 8 * static_cast<int>(i));
        }
        EXPECT_EQ(seen[i].residual, report.history[i].residual);
    }
    EXPECT_NEAR(seen.front().residual, norm(b_), 1e-12 * norm(b_));
    for (std::size_t i = 1; i + 1 < seen.size(); ++i) {
        const auto so_far = solve({.max_iterations = seen[i].iteration, .check_every = 8});
        EXPECT_NEAR(seen[i].residual, true_residual(a_, b_, x_), 1e-6 * seen[i].residual) << seen[i].iteration;
        EXPECT_EQ(so_far.iterations, seen[i].iteration);
    }
}

}  // namespace
}  // namespace tilespmv::testing
