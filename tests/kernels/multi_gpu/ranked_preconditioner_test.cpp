// Preconditioners over several ranks on the CPU: trials, choices and refusals.
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "kernels/multi_gpu/ranked_solver.hpp"
#include "tests/support/linear_systems.hpp"
#include "tests/support/message_of.hpp"
#include "tile/generate/generate.hpp"

namespace tilespmv::multi_gpu {
namespace {

using test::message_of;
using ::testing::Contains;
using ::testing::HasSubstr;
using testing::relative_residual;
using testing::right_hand_side;
using Values = std::vector<double>;

std::vector<std::string> tried(const solver::PreconditionerChoice& choice) {
    std::vector<std::string> all;
    for (const auto& trial : choice.trials) all.push_back(trial.specification);
    return all;
}

TEST(RankedPreconditioner, IsChosenByTrialsOfOneRank) {
    for (const auto* spec : {"laplace2d:n=30", "elasticity:n=5"}) {
        const auto a = generate<double>(spec);
        const auto b = right_hand_side(a.rows);
        for (const int ranks : {1, 2, 3, 4}) {
            SCOPED_TRACE(std::string(spec) + " on " + std::to_string(ranks));
            const solver::TrialSolve<double> trial{b, {.rtol = 1e-10}};
            auto chosen = make_cpu_ranked_solver(a, {.ranks = ranks, .preconditioner = "auto"}, trial);
            const auto& choice = chosen.preconditioner_choice();
            ASSERT_EQ(choice.trials.size(), 3U);
            EXPECT_THAT(tried(choice), Contains(choice.specification));
            EXPECT_THAT(choice.reason, HasSubstr("least predicted time"));
            EXPECT_GT(choice.seconds, 0);
            for (const auto& one : choice.trials) {
                SCOPED_TRACE(one.specification);
                EXPECT_EQ(one.refusal, "");
                EXPECT_GT(one.iterations, 0);
                EXPECT_LT(one.reduction, 0.5);
                EXPECT_GT(one.setup_seconds, 0);
            }
            Values x(b.size()), expected(b.size());
            const auto report = chosen.solve(b, x);
            EXPECT_TRUE(report.converged());
            auto asked = make_cpu_ranked_solver(
                a, {.ranks = ranks, .partition = chosen.partition(), .preconditioner = choice.specification});
            asked.solve(b, expected);
            EXPECT_EQ(x, expected);
            EXPECT_TRUE(asked.preconditioner_choice().trials.empty());
            EXPECT_EQ(asked.preconditioner_choice().specification, choice.specification);
        }
    }
}

TEST(RankedPreconditioner, TheOneThatWasChosenTakesNewValues) {
    auto a = generate<double>("laplace2d:n=25");
    const auto b = right_hand_side(a.rows);
    auto ranks = make_cpu_ranked_solver(a, {.ranks = 3, .preconditioner = "auto"});
    for (double& value : a.values) value *= 3;
    ranks.update_values(a);
    Values x(b.size());
    EXPECT_TRUE(ranks.solve(b, x).converged());
    EXPECT_LE(relative_residual(a, b, x), 1.001e-8);
}

// On the rank of the most rows the diagonal is not positive, on the other one it is.
TEST(RankedPreconditioner, SaysWhyAPreconditionerIsRefused) {
    auto a = generate<double>("laplace2d:n=10");
    for (offset_t p = a.row_ptrs[70]; p < a.row_ptrs[71]; ++p) {
        if (a.col_idxs[p] == 70) a.values[p] = -1;
    }
    const auto b = right_hand_side(a.rows);
    const auto choice = make_cpu_ranked_solver<double>(
                            a, {.ranks = 2, .partition = Partition({0, 40, 100}), .preconditioner = "auto"}, {b})
                            .preconditioner_choice();
    EXPECT_EQ(choice.specification, "none");
    EXPECT_EQ(choice.trials[0].refusal, "");
    for (std::size_t i = 1; i < choice.trials.size(); ++i)
        EXPECT_THAT(choice.trials[i].refusal, HasSubstr("positive diagonal")) << choice.trials[i].specification;
    EXPECT_THAT(message_of([&] {
                    make_cpu_ranked_solver<double>(a, {.ranks = 2, .partition = Partition({0, 40, 100})});
                }),
                HasSubstr("rank 1 (rows 41 to 100): no jacobi preconditioner"));
}

TEST(RankedPreconditioner, RefusesATrialOfAnotherSize) {
    const auto a = generate<double>("laplace2d:n=4");
    const Values b(15);
    EXPECT_THAT(message_of([&] { make_cpu_ranked_solver<double>(a, {.ranks = 2, .preconditioner = "auto"}, {b}); }),
                HasSubstr("16 values, found 15"));
}

}  // namespace
}  // namespace tilespmv::multi_gpu
