// Several ranks on the CPU against one.
#include "kernels/multi_gpu/ranked_solver.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <numeric>
#include <set>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "kernels/multi_gpu/rank_backend.hpp"
#include "kernels/solver/solve.hpp"
#include "kernels/solver/solver_model.hpp"
#include "tests/support/battery.hpp"
#include "tests/support/linear_systems.hpp"
#include "tests/support/message_of.hpp"
#include "tile/generate/generate.hpp"

namespace tilespmv::multi_gpu {
namespace {

using solver::Method;
using test::message_of;
using ::testing::HasSubstr;
using testing::relative_residual;
using testing::right_hand_side;
using Values = std::vector<double>;

constexpr Method kMethods[]{Method::chronopoulos_gear, Method::textbook};

int iterations_alone(const CsrMatrix<double>& a, const char* m, Method method) {
    solver::Solver<double> alone(a.clone(), {.preconditioner = m, .method = method});
    Values x(static_cast<std::size_t>(a.rows));
    return alone.solve(right_hand_side(a.rows), x).iterations;
}

struct Solved {
    solver::SolveReport report;
    Values x;
};

Solved solve(const CsrMatrix<double>& a, const RankedOptions& options) {
    Solved solved{{}, Values(static_cast<std::size_t>(a.rows), 7)};
    auto ranks = make_cpu_ranked_solver(a, options);
    solved.report = ranks.solve(right_hand_side(a.rows), solved.x);
    return solved;
}

// A diagonal M is the same for any number of ranks; only the order of sums differs, which hundreds of iterations
// make something of.
TEST(RankedSolver, TakesAsManyIterationsAsOneRank) {
    for (const auto* spec : {"laplace2d:n=40,jump=100,block=5", "elasticity:n=5", "stencil27:n=9"}) {
        const auto a = generate<double>(spec);
        for (const auto* m : {"none", "jacobi"}) {
            for (const Method method : kMethods) {
                const int alone = iterations_alone(a, m, method);
                for (const int ranks : {1, 2, 3, 5, 8}) {
                    SCOPED_TRACE(std::string(spec) + ' ' + m + " on " + std::to_string(ranks));
                    const auto solved = solve(a, {.ranks = ranks, .preconditioner = m, .method = method});
                    EXPECT_TRUE(solved.report.converged()) << describe(solved.report);
                    EXPECT_NEAR(solved.report.iterations, alone, 1 + 0.02 * alone);
                    EXPECT_LE(relative_residual(a, right_hand_side(a.rows), solved.x), 1.001e-8);
                }
            }
        }
    }
}

TEST(RankedSolver, GivesTheSameBitsAgain) {
    const auto a = generate<double>("laplace2d:n=60,jump=100");
    for (const Method method : kMethods) {
        for (const auto* m : {"jacobi", "ssor-ai:w=1.2"}) {
            const RankedOptions options{.ranks = 4, .preconditioner = m, .method = method};
            const Solved first = solve(a, options);
            EXPECT_TRUE(first.report.converged());
            for (int again = 0; again < 3; ++again) EXPECT_EQ(solve(a, options).x, first.x) << m;
        }
    }
}

TEST(RankedSolver, TakesAnyPartition) {
    const auto a = generate<double>("laplace2d:n=20");
    const auto b = right_hand_side(a.rows);
    for (const auto& starts : {std::vector<index_t>{0, 0, 0, 400}, {0, 399, 400, 400}, {0, 1, 2, 400}}) {
        for (const auto* m : {"jacobi", "ssor-ai"}) {
            const auto solved = solve(a, {.ranks = 3, .partition = Partition(starts), .preconditioner = m});
            EXPECT_TRUE(solved.report.converged()) << describe(solved.report);
            EXPECT_LE(relative_residual(a, b, solved.x), 1.001e-8);
        }
    }
    EXPECT_EQ(message_of([&] {
                  solve(a, {.ranks = 2, .partition = Partition({0, 400})});
              }),
              "2: partition: it has 1 parts, expected 2, one a rank");
}

/// A path, of whose matrix each row adds up to 0 without `shift` on the diagonal.
CsrMatrix<double> path(index_t n, double shift, double size) {
    std::set<std::pair<index_t, index_t>> positions;
    for (index_t r = 0; r < n; ++r) {
        for (index_t c = std::max(0, r - 1); c <= std::min(n - 1, r + 1); ++c) positions.emplace(r, c);
    }
    auto a = testing::matrix_of(n, n, positions);
    for (index_t r = 0; r < n; ++r) {
        const auto neighbours = static_cast<double>(a.row_ptrs[r + 1] - a.row_ptrs[r] - 1);
        for (offset_t p = a.row_ptrs[r]; p < a.row_ptrs[r + 1]; ++p)
            a.values[p] = size * (a.col_idxs[p] != r ? -1 : neighbours + shift);
    }
    return a;
}

TEST(RankedSolver, KeepsOutAConstantNullSpace) {
    const index_t n = 60;
    const auto a = path(n, 0, 1);
    const Values b = right_hand_side(n);
    Values without_mean = b;
    const double mean = std::accumulate(b.begin(), b.end(), 0.0) / n;
    for (double& value : without_mean) value -= mean;
    for (const Method method : kMethods) {
        SCOPED_TRACE(method_name(method));
        Values x(b.size());
        auto ranks = make_cpu_ranked_solver(a, {.ranks = 3, .method = method, .constant_null_space = true});
        EXPECT_TRUE(ranks.solve(b, x).converged());
        EXPECT_NEAR(std::accumulate(x.begin(), x.end(), 0.0), 0, 1e-9);
        EXPECT_LE(relative_residual(a, without_mean, x), 1e-7);
    }
}

TEST(RankedSolver, RefusesANullSpaceThatTheMatrixDoesNotHave) {
    const RankedOptions options{.ranks = 3, .constant_null_space = true};
    EXPECT_THAT(message_of([&] { make_cpu_ranked_solver(path(60, 2, 1), options); }),
                HasSubstr("1: constant vectors are not the null space of the matrix: row 1 adds up to 2"));
    auto ranks = make_cpu_ranked_solver(path(60, 0, 1), options);
    EXPECT_THAT(message_of([&] { ranks.update_values(path(60, 1, 1)); }), HasSubstr("row 1 adds up to 1"));
}

TEST(RankedSolver, SaysThatASystemIsSingular) {
    for (const Method method : kMethods) {
        const auto report = solve(path(12, 0, 1), {.ranks = 2, .method = method}).report;
        EXPECT_EQ(report.end, solver::End::singular) << describe(report);
        EXPECT_LE(report.iterations, 12);
    }
}

TEST(RankedSolver, SolvesForNumbersOfAnySize) {
    for (const double size : {1e-290, 1e-95, 1e95, 1e290}) {
        const auto a = path(60, 0.5, size);
        auto b = right_hand_side(a.rows);
        for (double& value : b) value *= size;
        for (const Method method : kMethods) {
            for (const auto* m : {"none", "jacobi", "ssor-ai"}) {
                SCOPED_TRACE(std::to_string(size) + m);
                auto ranks = make_cpu_ranked_solver(a, {.ranks = 3, .preconditioner = m, .method = method});
                Values x(b.size(), 1e200);
                EXPECT_TRUE(ranks.solve(b, x, {.start_from_x = true}).converged());
                auto plain = path(60, 0.5, 1);
                EXPECT_LE(relative_residual(plain, right_hand_side(60), x), 1.001e-8);
            }
        }
    }
    auto ranks = make_cpu_ranked_solver(path(60, 0.5, 1e-10), {.ranks = 3});
    Values x(60);
    EXPECT_EQ(ranks.solve(Values(60, 1e300), x).end, solver::End::not_a_number) << "x would be 2e310";
}

TEST(RankedSolver, RefusesToTryPreconditionersOnWhatIsNotFinite) {
    const auto a = path(60, 0.5, 1);
    const Values zero(60);
    Values b(60, 1);
    b[3] = HUGE_VAL;
    EXPECT_THAT(message_of([&] { make_cpu_ranked_solver<double>(a, {.ranks = 2, .preconditioner = "auto"}, {b}); }),
                HasSubstr("b is inf in row 4"));
    Values x(60);
    EXPECT_EQ(make_cpu_ranked_solver(a, {.ranks = 2}).solve(b, x).end, solver::End::not_a_number);
    const auto tried = make_cpu_ranked_solver<double>(a, {.ranks = 2, .preconditioner = "auto"}, {zero});
    for (const auto& trial : tried.preconditioner_choice().trials) EXPECT_GT(trial.iterations, 0);
}

TEST(RankedSolver, TakesNewValuesAndRightHandSides) {
    auto a = generate<double>("laplace2d:n=25");
    auto b = right_hand_side(a.rows);
    for (const Method method : kMethods) {
        SCOPED_TRACE(method_name(method));
        auto ranks = make_cpu_ranked_solver(a, {.ranks = 3, .operator_name = "hyb-omp", .method = method});
        Values x(b.size());
        EXPECT_TRUE(ranks.solve(b, x).converged());
        for (double& value : a.values) value *= 3;
        for (double& value : b) value = 1 - value;
        ranks.update_values(a);
        EXPECT_TRUE(ranks.solve(b, x).converged());
        EXPECT_LE(relative_residual(a, b, x), 1.001e-8);
    }
}

TEST(RankedSolver, SolvesInFloat) {
    const auto a = generate<float>("laplace2d:n=25");
    const auto b = right_hand_side<float>(a.rows);
    for (const Method method : kMethods) {
        SCOPED_TRACE(method_name(method));
        std::vector<float> x(b.size());
        auto ranks = make_cpu_ranked_solver(a, {.ranks = 3, .method = method});
        EXPECT_TRUE(ranks.solve(b, x, {.rtol = 1e-5}).converged());
        EXPECT_LE(relative_residual(a, b, x), 1.01e-5);
        const auto report = ranks.solve(b, x);
        EXPECT_TRUE(report.converged());
        EXPECT_NEAR(report.tolerance, 1e-4 * report.rhs_norm, 1e-10 * report.rhs_norm);
    }
}

/// Where the second sum over ranks costs what Chronopoulos and Gear move more of so many rows in float64.
SolverMachine indifferent_at(double rows) { return {.bytes_per_s = 1, .rank_sum_seconds = 2 * 8 * rows}; }

Method chosen_method(const SolverMachine& machine, RankedOptions options) {
    options.machine = &machine;
    const auto a = options.constant_null_space ? path(400, 0, 1) : generate<double>("laplace2d:n=20");
    return make_cpu_ranked_solver(a, options).method();
}

TEST(RankedSolver, ChoosesARecurrenceByTheRankOfTheMostRows) {
    const auto machine = indifferent_at(300);
    EXPECT_EQ(chosen_method(machine, {.ranks = 2, .partition = Partition({0, 200, 400})}), Method::chronopoulos_gear);
    for (const index_t cut : {50, 350}) {
        EXPECT_EQ(chosen_method(machine, {.ranks = 2, .partition = Partition({0, cut, 400})}), Method::textbook) << cut;
    }
    EXPECT_EQ(chosen_method(indifferent_at(1e9), {.ranks = 1}), Method::textbook) << "one rank adds alone";
}

TEST(RankedSolver, ChoosesARecurrenceByItsPreconditioner) {
    const auto with = [](const char* m) {
        return chosen_method(indifferent_at(100), {.ranks = 2, .preconditioner = m});
    };
    EXPECT_EQ(with("jacobi"), Method::textbook);
    EXPECT_EQ(with("none"), Method::textbook);
    EXPECT_EQ(with("ssor-ai"), Method::chronopoulos_gear) << "both move as many values where M is not diagonal";
    EXPECT_EQ(chosen_method(indifferent_at(100), {.ranks = 2, .constant_null_space = true}), Method::chronopoulos_gear)
        << "the mean is removed after M";
}

TEST(RankedSolver, SolvesByTheRecurrenceThatItSays) {
    const auto a = generate<double>("laplace2d:n=20");
    const auto b = right_hand_side(a.rows);
    Values other;
    for (const double rows : {100, 300}) {
        const auto machine = indifferent_at(rows);
        auto chosen = make_cpu_ranked_solver(a, {.ranks = 2, .machine = &machine});
        auto asked = make_cpu_ranked_solver(a, {.ranks = 2, .method = chosen.method()});
        Values x(b.size()), expected(b.size());
        EXPECT_TRUE(chosen.solve(b, x).converged());
        EXPECT_TRUE(asked.solve(b, expected).converged());
        EXPECT_EQ(x, expected);
        EXPECT_NE(x, other) << "roundings of both recurrences differ";
        other = x;
        EXPECT_THAT(chosen.method_reason(), HasSubstr("predicted"));
        EXPECT_EQ(asked.method_reason(), "");
    }
    const auto by_default = make_cpu_ranked_solver(a, {.ranks = 2});
    EXPECT_EQ(by_default.method(), Method::textbook);
    EXPECT_EQ(by_default.method_reason(), "which moves fewer values of vectors");
}

TEST(RankedSolver, EndsTogetherWhenItIsAskedTo) {
    const auto a = generate<double>("laplace2d:n=40");
    auto ranks = make_cpu_ranked_solver(a, {.ranks = 4});
    Values x(static_cast<std::size_t>(a.rows));
    int calls = 0;
    const auto report = ranks.solve(right_hand_side(a.rows), x, {.on_check = [&](const solver::Check& check) {
                                        ++calls;
                                        return check.iteration < 5;
                                    }});
    EXPECT_EQ(report.end, solver::End::stopped);
    EXPECT_EQ(report.iterations, 5);
    EXPECT_EQ(calls, 6);
}

TEST(RankedSolver, SaysWhichRankFailed) {
    auto a = generate<double>("laplace2d:n=10");
    a.values[a.row_ptrs[70] + 1] = 0;
    for (offset_t p = a.row_ptrs[70]; p < a.row_ptrs[71]; ++p) {
        if (a.col_idxs[p] == 70) a.values[p] = -1;
    }
    const auto message = message_of([&] { solve(a, {.ranks = 2}); });
    EXPECT_EQ(message.substr(0, 28), "1: rank 1 (rows 51 to 100): ") << message;
    EXPECT_EQ(message_of([&] { solve(a, {.ranks = 0}); }), "2: 0 ranks, expected at least 1");
}

/// A, with ones in these columns of a row instead of what it has there.
CsrMatrix<double> with_row(const CsrMatrix<double>& a, index_t changed, const std::vector<index_t>& cols) {
    std::set<std::pair<index_t, index_t>> positions;
    for (index_t row = 0; row < a.rows; ++row) {
        for (offset_t p = a.row_ptrs[row]; p < a.row_ptrs[row + 1]; ++p) {
            if (row != changed) positions.emplace(row, a.col_idxs[p]);
        }
    }
    for (const index_t col : cols) positions.emplace(changed, col);
    return testing::matrix_of(a.rows, a.cols, positions);
}

TEST(RankedSolver, TakesNewValuesOfItsPatternOnly) {
    const auto a = generate<double>("laplace2d:n=10");
    const auto more = with_row(a, 70, {20, 60, 69, 70, 71, 80}), fewer = with_row(a, 70, {70, 71, 80});
    for (const int ranks : {1, 3}) {
        auto solver = make_cpu_ranked_solver(a, {.ranks = ranks});
        for (const auto* other : {&more, &fewer}) {
            EXPECT_EQ(message_of([&] { solver.update_values(*other); }),
                      "1: row 71 has other columns than before; make the solver again");
        }
        auto moved = a.clone();  // as many, in another column
        for (offset_t p = moved.row_ptrs[70]; p < moved.row_ptrs[71]; ++p) {
            if (moved.col_idxs[p] == 60) moved.col_idxs[p] = 59;
        }
        EXPECT_THAT(message_of([&] { solver.update_values(moved); }), HasSubstr("row 71 has other columns"));
        EXPECT_EQ(message_of([&] { solver.update_values(generate<double>("laplace2d:n=11")); }),
                  "2: partition: it has 100 rows, the matrix has 121");
        const auto taken = std::move(moved);
        EXPECT_EQ(message_of([&] { solver.update_values(moved); }),  // NOLINT(bugprone-use-after-move)
                  "1: CSR: row_ptrs has 0 entries, expected rows + 1 = 101");
        const auto b = right_hand_side(a.rows);
        Values x(b.size());
        EXPECT_TRUE(solver.solve(b, x).converged()) << "nothing has changed";
        EXPECT_LE(relative_residual(a, b, x), 1.001e-8);
    }
}

TEST(RankedSolver, RefusesWhatItCannotUse) {
    const auto a = generate<double>("laplace2d:n=10");
    const auto b = right_hand_side(a.rows);
    Values x(b.size()), short_one(99);
    auto solver = make_cpu_ranked_solver(a, {.ranks = 2});
    EXPECT_EQ(message_of([&] { solver.solve(short_one, x); }),
              "1: a solve needs b and x of 100 values, found 99 and 100");
    EXPECT_EQ(message_of([&] { solver.multiply(x, short_one); }),
              "1: a product needs x and y of 100 values, found 100 and 99");
    EXPECT_EQ(message_of([&] { solver.multiply(short_one, x); }),
              "1: a product needs x and y of 100 values, found 99 and 100");
    EXPECT_EQ(message_of([&] { solver.measure_product(0); }), "2: to measure 0 products, expected at least 1");
    EXPECT_EQ(message_of([&] { solver.solve(b, x, {.rtol = -1}); }),
              "2: a tolerance or a number of iterations of a solve is negative or NaN");
    EXPECT_TRUE(solver.solve(b, x).converged()) << "it is of use after these";
    auto taken = std::move(solver);
    const std::string moved = "1: this solver over ranks was moved to another one";
    EXPECT_EQ(message_of([&] { solver.solve(b, x); }), moved);  // NOLINT(bugprone-use-after-move)
    EXPECT_EQ(message_of([&] { solver.multiply(b, x); }), moved);
    EXPECT_EQ(message_of([&] { solver.update_values(a); }), moved);
    EXPECT_EQ(message_of([&] { static_cast<void>(solver.reports()); }), moved);
    EXPECT_EQ(message_of([&] { static_cast<void>(solver.partition()); }), moved);
    EXPECT_EQ(message_of([&] { static_cast<void>(solver.check_every({})); }), moved);
    EXPECT_EQ(message_of([&] { RankedSolver<double>(a, {}, nullptr); }),
              "1: a solver over ranks needs a backend, found a null pointer");
    EXPECT_EQ(message_of([&] { RankedSolver<double>(a, {.ranks = 3}, make_cpu_backend<double>(2)); }),
              "2: a backend of 2 ranks for 3 ranks");
    EXPECT_EQ(message_of([&] { partition_by_nonzeros({}, 2); }),
              "2: partition: no row pointers, expected one more than rows");
}

TEST(RankedSolver, SaysThatItFailedBefore) {
    auto a = generate<double>("laplace2d:n=10");
    auto solver = make_cpu_ranked_solver(a, {.ranks = 2});
    for (double& value : a.values) value = -1;
    EXPECT_THAT(message_of([&] { solver.update_values(a); }), HasSubstr("no jacobi preconditioner"));
    Values x(static_cast<std::size_t>(a.rows));
    EXPECT_EQ(message_of([&] { solver.solve(right_hand_side(a.rows), x); }),
              "1: a rank of this solver has failed before; make another solver");
}

TEST(RankedSolver, MultipliesAndMeasures) {
    const auto a = generate<double>("stencil27:n=8");
    auto ranks = make_cpu_ranked_solver(a, {.ranks = 3});
    const auto x = right_hand_side(a.rows);
    Values y(x.size());
    ranks.multiply(x, y);
    EXPECT_LE(relative_residual(a, y, x), 1e-14);
    const auto reports = ranks.reports();
    offset_t nnz = 0;
    std::int64_t halo = 0;
    std::int64_t sent = 0;
    for (const auto& rank : reports) {
        nnz += rank.interior_nonzeros + rank.boundary_nonzeros;
        halo += rank.halo;
        sent += rank.sent;
    }
    EXPECT_EQ(nnz, a.nnz());
    EXPECT_EQ(halo, sent);
    EXPECT_GT(halo, 0);
    const auto times = ranks.measure_product(3);
    for (const double seconds : {times.product, times.halo, times.interior, times.boundary}) EXPECT_GT(seconds, 0);
}

}  // namespace
}  // namespace tilespmv::multi_gpu
