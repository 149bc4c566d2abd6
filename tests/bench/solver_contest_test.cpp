// The comparison of solvers where there is no GPU.
#include "bench/solver_contest.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "kernels/solver/solve.hpp"
#include "tests/support/linear_systems.hpp"
#include "tile/generate/generate.hpp"

namespace tilespmv::bench {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::StartsWith;

/// Whole solves, however busy the machine is.
ContestOptions quick_on_cpu() { return {.backend = Backend::cpu, .cpu_seconds = 1e9, .seconds = 0}; }

std::vector<std::string> names_of(const std::vector<SolverTiming>& timings) {
    std::vector<std::string> names;
    for (const auto& t : timings) names.push_back(t.name);
    return names;
}

TEST(SolverContest, RunsWithoutAGpu) {
    const auto a = generate<double>("laplace2d:n=20");
    auto options = quick_on_cpu();
    options.gpus = 3;
    const auto timings = solver_contest(a, options);
    EXPECT_THAT(names_of(timings),
                ElementsAre("default", kReferenceName, "3 ranks", "cpu, 1 thread", "cpu, all threads"));
    for (const auto& t : timings) {
        SCOPED_TRACE(t.name);
        EXPECT_EQ(t.error, "");
        EXPECT_TRUE(t.converged);
        EXPECT_LE(t.residual, 1.001e-8);
        EXPECT_GT(t.seconds, 0);
        EXPECT_GT(t.setup_seconds, 0);
        EXPECT_FALSE(t.is_extrapolated);
    }
    EXPECT_EQ(timings[0].iterations, timings[1].iterations);
    EXPECT_THAT(timings[2].how, StartsWith("textbook; first: "));
}

TEST(SolverContest, MeasuresAPartOfWhatTakesTooLong) {
    auto options = quick_on_cpu();
    options.cpu_seconds = 0;
    const auto timings = solver_contest(generate<double>("laplace2d:n=20"), options);
    ASSERT_THAT(names_of(timings), ElementsAre("default", kReferenceName, "cpu, 1 thread", "cpu, all threads"));
    for (const auto& t : {timings[2], timings[3]}) {
        SCOPED_TRACE(t.name);
        EXPECT_TRUE(t.is_extrapolated);
        EXPECT_FALSE(t.converged);
        EXPECT_EQ(t.iterations, timings[0].iterations);
        EXPECT_DOUBLE_EQ(t.seconds, t.iterations * t.seconds_per_iteration);
    }
}

TEST(SolverContest, APartThatFailsIsNotExtrapolated) {
    const CsrMatrix<double> a{3, 3, {0, 1, 2, 3}, {0, 1, 2}, {1, 2, -1}};  // found out in the second iteration
    auto options = quick_on_cpu();
    options.preconditioner = "none";
    options.cpu_seconds = 0;
    const auto timings = solver_contest(a, options);
    ASSERT_GT(timings[0].iterations, 0) << "a solve of no iterations is not too long";
    for (const auto& t : timings) {
        SCOPED_TRACE(t.name);
        EXPECT_EQ(t.end, "not positive definite");
        EXPECT_FALSE(t.is_extrapolated);
        EXPECT_FALSE(t.converged);
    }
}

TEST(SolverContest, LeavesOutWhatItIsTold) {
    auto options = quick_on_cpu();
    options.with_reference = options.with_cpu = false;
    EXPECT_THAT(names_of(solver_contest(generate<double>("laplace2d:n=5"), options)), ElementsAre("default"));
}

TEST(SolverContest, SaysWhatDidNotConverge) {
    auto options = quick_on_cpu();
    options.max_iterations = 5;
    for (const auto& t : solver_contest(generate<double>("laplace2d:n=20"), options)) {
        SCOPED_TRACE(t.name);
        EXPECT_FALSE(t.converged);
        EXPECT_FALSE(t.is_extrapolated);
        EXPECT_EQ(t.iterations, 5);
        EXPECT_EQ(t.end, "limit");
    }
}

TEST(SolverContest, SolvesWithEveryPreconditioner) {
    for (const auto* system : {"laplace2d:n=30", "elasticity:n=4"}) {
        SCOPED_TRACE(system);
        const auto a = generate<double>(system);
        const auto timings = preconditioner_contest(a, quick_on_cpu());
        EXPECT_THAT(names_of(timings), ElementsAre("none", "jacobi", "ssor-ai"));
        for (const auto& t : timings) {
            SCOPED_TRACE(t.name);
            solver::Solver<double> alone(a.clone(), {.preconditioner = t.name});
            std::vector<double> x(static_cast<std::size_t>(a.rows));
            EXPECT_EQ(t.iterations, alone.solve(tilespmv::testing::right_hand_side(a.rows), x).iterations);
            EXPECT_TRUE(t.converged);
            EXPECT_LE(t.residual, 1.001e-8);
        }
        EXPECT_LT(timings[3].iterations, timings[0].iterations);
    }
}

TEST(SolverContest, ARefusedPreconditionerHasItsError) {
    auto a = generate<double>("laplace2d:n=5");
    for (double& value : a.values) value = -value;
    const auto timings = preconditioner_contest(a, quick_on_cpu());
    EXPECT_FALSE(timings[0].converged);
    EXPECT_EQ(timings[0].end, "not positive definite");
    EXPECT_THAT(timings[1].error, HasSubstr("positive diagonal"));
}

}  // namespace
}  // namespace tilespmv::bench
