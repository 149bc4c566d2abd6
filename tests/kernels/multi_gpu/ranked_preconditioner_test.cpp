// Preconditioners over several ranks on the CPU: trials, choices and refusals.
#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "kernels/multi_gpu/ranked_solver.hpp"
#include "kernels/multi_gpu/ranked_trials.hpp"
#include "tests/support/linear_systems.hpp"
#include "tests/support/message_of.hpp"
#include "tile/generate/generate.hpp"

namespace tilespmv::multi_gpu {
namespace {

using test::message_of;
using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::Not;
using testing::relative_residual;
using testing::right_hand_side;
using Values = std::vector<double>;

std::vector<std::string> tried(const solver::PreconditionerChoice& choice) {
    std::vector<std::string> all;
    for (const auto& trial : choice.trials) all.push_back(trial.specification);
    return all;
}

TEST(RankedPreconditioner, ChoosesAPreconditionerByTrialsOverRanks) {
    for (const auto* spec : {"laplace2d:n=30", "elasticity:n=5"}) {
        const auto a = generate<double>(spec);
        const auto b = right_hand_side(a.rows);
        const bool has_blocks = spec[0] == 'e';
        for (const int ranks : {1, 2, 3, 4}) {
            SCOPED_TRACE(std::string(spec) + " on " + std::to_string(ranks));
            const solver::TrialSolve<double> trial{b, {.rtol = 1e-10}};
            auto chosen = make_cpu_ranked_solver(a, {.ranks = ranks, .preconditioner = "auto"}, trial);
            const auto& choice = chosen.preconditioner_choice();
            ASSERT_EQ(choice.trials.size(), has_blocks ? 5U : 4U);
            EXPECT_THAT(tried(choice), Contains(choice.specification));
            EXPECT_EQ(std::ranges::count(tried(choice), "block-jacobi:size=3"), has_blocks ? 1 : 0);
            EXPECT_THAT(choice.reason, HasSubstr("least predicted time"));
            EXPECT_GT(choice.seconds, 0);
            for (const auto& one : choice.trials) {
                SCOPED_TRACE(one.specification);
                EXPECT_EQ(one.refusal, "");
                EXPECT_GE(one.iterations, 25);
                EXPECT_LT(one.reduction, 0.5);
                EXPECT_GT(one.setup_seconds, 0);
                EXPECT_EQ(one.forms.empty(), !one.specification.starts_with("ssor-ai"));
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

TEST(RankedPreconditioner, TriesNoBlocksThatLieOnTwoRanks) {
    const auto a = generate<double>("elasticity:n=4");
    const auto at = [&](index_t cut) {
        return tried(
            make_cpu_ranked_solver(a, {.ranks = 2, .partition = Partition({0, cut, a.rows}), .preconditioner = "auto"})
                .preconditioner_choice());
    };
    EXPECT_THAT(at(60), Contains("block-jacobi:size=3"));
    EXPECT_THAT(at(61), Not(Contains("block-jacobi:size=3")));
}

TEST(RankedPreconditioner, ARankWithoutRowsChoosesNoForm) {
    const auto a = generate<double>("laplace2d:n=30");
    const auto choice =
        make_cpu_ranked_solver(a, {.ranks = 2, .partition = Partition({0, a.rows, a.rows}), .preconditioner = "auto"})
            .preconditioner_choice();
    for (const auto& form : choice.trials[2].forms) EXPECT_GT(form.nonzeros, 0);
    EXPECT_TRUE(std::isfinite(choice.trials[2].forms.front().seconds));
}

// On one rank of several the diagonal is not positive: the others must not wait for it.
TEST(RankedPreconditioner, SaysWhyAPreconditionerIsRefusedByARank) {
    auto a = generate<double>("laplace2d:n=10");
    for (offset_t p = a.row_ptrs[70]; p < a.row_ptrs[71]; ++p) {
        if (a.col_idxs[p] == 70) a.values[p] = -1;
    }
    const auto b = right_hand_side(a.rows);
    const auto choice =
        make_cpu_ranked_solver<double>(a, {.ranks = 2, .preconditioner = "auto"}, {b}).preconditioner_choice();
    EXPECT_EQ(choice.specification, "none");
    EXPECT_EQ(choice.trials[0].refusal, "");
    for (std::size_t i = 1; i < choice.trials.size(); ++i) {
        EXPECT_THAT(choice.trials[i].refusal, HasSubstr("rank 1 (rows 51 to 100): ")) << choice.trials[i].specification;
        EXPECT_THAT(choice.trials[i].refusal, HasSubstr("positive diagonal"));
    }
}

TEST(RankedPreconditioner, RefusesATrialOfAnotherSize) {
    const auto a = generate<double>("laplace2d:n=4");
    const Values b(15);
    EXPECT_THAT(message_of([&] { make_cpu_ranked_solver<double>(a, {.ranks = 2, .preconditioner = "auto"}, {b}); }),
                HasSubstr("16 values, found 15"));
}

// A rank that has not made a form, as it cannot pay there, speaks for all.
TEST(RankedPreconditioner, FormsOverRanksWaitForTheSlowest) {
    using Forms = std::vector<solver::PreconditionerForm>;
    const double never = std::numeric_limits<double>::infinity();
    const std::vector<Forms> of_ranks{{{"factors", 2, 100, 3e-6, 0.001}, {"explicit", 1, 150, 2e-6, 0.001}},
                                      {{"explicit", 1, 250, 5e-6, 0.002}, {"factors", 2, 200, 4e-6, 0.002}}};
    const auto all = forms_over_ranks(of_ranks);
    ASSERT_EQ(all.size(), 2U);
    EXPECT_EQ(all[0].name, "factors");  // 6 ms for 1,000 of them with setup, explicit 7
    EXPECT_EQ(all[0].nonzeros, 300);
    EXPECT_EQ(all[0].seconds, 4e-6);
    EXPECT_EQ(all[0].setup_seconds, 0.002);
    EXPECT_EQ(all[1].products, 1);
    EXPECT_EQ(all[1].seconds, 5e-6);
    const std::vector<Forms> one_refuses{of_ranks[0],
                                         {{"factors", 2, 200, 9e-6, 0.003}, {"explicit", 1, 900, never, 1}}};
    EXPECT_EQ(forms_over_ranks(one_refuses).front().name, "factors");
}

}  // namespace
}  // namespace tilespmv::multi_gpu
