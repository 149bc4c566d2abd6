// Solves by the library's call against an oracle.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "kernels/registry.hpp"
#include "kernels/solver/solve.hpp"
#include "kernels/solver/solver_model.hpp"
#include "tests/kernels/solver/systems.hpp"
#include "tests/support/message_of.hpp"
#include "tests/support/threads.hpp"
#include "tile/generate/generate.hpp"
#include "tile/matrix_market/matrix_market.hpp"

namespace tilespmv::testing {
namespace {

using namespace tilespmv::solver;

TEST(Solve, AsTheTextbookDoes) {
    for (const std::string name :
         {"laplace2d:n=40", "laplace2d:n=40,jump=1000,block=5", "laplace2d:n=30,aniso=0.01", "laplace3d:n=12",
          "laplace3d:n=11,contrast=0.5", "elasticity:n=5", "stencil27:n=9", "bcsstk16.mtx.xz"}) {
        SCOPED_TRACE(name);
        const bool is_file = name.ends_with(".xz");
        const auto a = is_file ? read_matrix_market<double>(TILESPMV_REAL_MATRICES "/" + name) : generate<double>(name);
        const auto b = right_hand_side(a.rows);
        const Eigen::VectorXd diagonal = to_eigen(a).diagonal();
        const int expected = textbook_iterations(
            to_eigen(a), eigen(b), [&](const auto& r) { return r.cwiseQuotient(diagonal).eval(); }, 1e-8);
        for (const Method method : kMethods) {
            Solver<double> solver(a.clone(), {.method = method});
            std::vector<double> x(b.size(), 7);
            const auto report = solver.solve(b, x);
            EXPECT_TRUE(report.converged()) << describe(report);
            EXPECT_NEAR(report.iterations, expected, 1 + 0.02 * expected);
            EXPECT_LE(true_residual(a, b, x), (is_file ? 1.01e-8 : 1.001e-8) * eigen(b).norm());
            if (!is_file) {
                EXPECT_NEAR(report.residual, true_residual(a, b, x), 1e-10 * eigen(b).norm());
            }
        }
    }
}

TEST(Solve, MatricesOfSsorAreConvertedForAnOperatorOnTiles) {
    const auto a = generate<double>("laplace2d:n=20");
    const auto b = right_hand_side(a.rows);
    std::vector<double> x(b.size()), expected(b.size());
    for (const auto* form : {"w=1", "w=1.3"}) {
        const std::string m = std::string("ssor-ai:") + form;
        Solver<double> solver(a.clone(), {.preconditioner = m + ",operator=tile-omp"});
        for (const auto& values : {std::vector<double>(a.values.size(), 1.0), {a.values.begin(), a.values.end()}})
            solver.update_values(values);
        EXPECT_TRUE(solver.solve(b, x).converged());
        EXPECT_EQ(solver.solve(b, x).iterations,
                  Solver<double>(a.clone(), {.preconditioner = m + ",operator=csr-omp"}).solve(b, expected).iterations);
    }
}

TEST(Solve, DefaultTolerancesAreThoseOfTheType) {
    for (const auto* spec : {"laplace2d:n=30", "laplace3d:n=20", "elasticity:n=4", "fem:n=6"}) {
        const auto a = generate<float>(spec);
        const auto b = right_hand_side(a.rows);
        const std::vector<float> b32(b.begin(), b.end());
        Solver<float> solver(a.clone(), {.preconditioner = "auto"}, {.b = b32});
        std::vector<float> x(b.size());
        const auto report = solver.solve(b32, x);
        EXPECT_TRUE(report.converged()) << spec << ": " << describe(report);
        EXPECT_NEAR(report.tolerance, 1e-4 * report.rhs_norm, 1e-10 * report.rhs_norm);
    }
    const auto a = generate<double>("laplace2d:n=30");
    std::vector<double> x(900);
    EXPECT_NEAR(Solver<double>(a.clone(), {}).solve(std::vector<double>(900, 1.0), x).tolerance, 30e-8, 1e-12);
}

TEST(Solve, Float32) {
    const auto a = generate<double>("laplace2d:n=40");
    const auto b = right_hand_side(a.rows);
    const std::vector<float> b32(b.begin(), b.end());
    for (const Method method : kMethods) {
        Solver<float> solver(convert_values<float>(a), {.method = method});
        std::vector<float> x(b.size());
        const auto report = solver.solve(b32, x, {.rtol = 1e-4});
        EXPECT_TRUE(report.converged()) << describe(report);
        EXPECT_LE(true_residual(a, b, {x.begin(), x.end()}), 1.1e-4 * eigen(b).norm());
    }
}

TEST(Solve, OneRightHandSideAfterAnotherAsInSolversOfTheirOwn) {
    const auto a = generate<double>("elasticity:n=4");
    const auto size = static_cast<std::size_t>(a.rows);
    for (const Method method : kMethods) {
        Solver<double> kept(a.clone(), {.preconditioner = "ssor-ai", .method = method});
        for (const double shift : {0.0, 1.0, std::nan(""), 2.0}) {
            auto b = right_hand_side(a.rows);
            for (double& value : b) value += shift;
            std::vector<double> x(size), expected(size);
            Solver<double> fresh(a.clone(), {.preconditioner = "ssor-ai", .method = method});
            EXPECT_EQ(kept.solve(b, x).end, fresh.solve(b, expected).end);
            if (!std::isnan(shift)) {
                EXPECT_EQ(x, expected) << shift;
            }
        }
    }
}

TEST(Solve, NewValuesAsInASolverOfThem) {
    const auto a = generate<double>("elasticity:n=4");
    const auto b = right_hand_side(a.rows);
    for (const auto* m : {"none", "jacobi", "ssor-ai"}) {
        for (const auto* name : {"csr-omp", "strip-omp", "auto"}) {
            auto changed = a.clone();
            for (std::size_t row = 0; row < b.size(); ++row) {
                for (offset_t p = a.row_ptrs[row]; p < a.row_ptrs[row + 1]; ++p) {
                    const auto at = static_cast<std::size_t>(p);
                    changed.values[at] *= 2;
                    if (a.col_idxs[at] == static_cast<index_t>(row))
                        changed.values[at] += 0.1 * static_cast<double>(row % 5);
                }
            }
            const SolverOptions options{.operator_name = name, .preconditioner = m};
            Solver<double> solver(a.clone(), options), fresh(changed.clone(), options);
            std::vector<double> x(b.size()), expected(b.size());
            EXPECT_TRUE(solver.solve(b, x).converged());
            solver.update_values({changed.values.begin(), changed.values.end()});
            EXPECT_TRUE(solver.solve(b, x).converged());
            EXPECT_TRUE(fresh.solve(b, expected).converged());
            EXPECT_EQ(x, expected) << m << ' ' << name;
        }
    }
}

TEST(Solve, OperatorsOfTheUser) {
    const auto a = generate<double>("laplace3d:n=8,jump=10");
    const auto b = right_hand_side(a.rows);
    CsrMatrix<double> inverse_diagonal{a.rows, a.cols, Buffer<offset_t>(b.size() + 1), Buffer<index_t>(b.size()),
                                       Buffer<double>(b.size())};
    for (std::size_t i = 0; i <= b.size(); ++i) inverse_diagonal.row_ptrs[i] = static_cast<offset_t>(i);
    for (std::size_t i = 0; i < b.size(); ++i) {
        inverse_diagonal.col_idxs[i] = static_cast<index_t>(i);
        inverse_diagonal.values[i] = 1 / to_eigen(a).diagonal()[static_cast<Eigen::Index>(i)];
    }
    const auto op = make_operator<double>("reference", a);
    const auto m = make_operator<double>("csr-omp", inverse_diagonal);
    Solver<double> users(*op, m.get()), own(a.clone(), {.preconditioner = "jacobi"}), plain(*op, nullptr);
    std::vector<double> x(b.size()), y(b.size()), z(b.size());
    EXPECT_EQ(users.solve(b, x).iterations, own.solve(b, y).iterations);
    EXPECT_LT((eigen(x) - eigen(y)).norm(), 1e-10 * eigen(y).norm());
    EXPECT_TRUE(plain.solve(b, z).converged());
    EXPECT_LT((eigen(z) - eigen(y)).norm(), 1e-6 * eigen(y).norm());
}

TEST(Solve, StartsFromX) {
    const auto a = generate<double>("laplace2d:n=30");
    const auto b = right_hand_side(a.rows);
    Solver<double> solver(a.clone(), {});
    std::vector<double> x(b.size());
    const auto cold = solver.solve(b, x, {.rtol = 1e-10});
    const auto warm = solver.solve(b, x, {.rtol = 1e-10, .start_from_x = true});
    EXPECT_EQ(warm.iterations, 0);
    EXPECT_EQ(warm.history.size(), 1U);
    EXPECT_EQ(cold.first_residual, cold.rhs_norm);
    x[5] += 1e-6;
    const auto near = solver.solve(b, x, {.rtol = 1e-10, .start_from_x = true});
    EXPECT_TRUE(near.converged());
    EXPECT_LT(near.iterations, cold.iterations);
    EXPECT_GT(near.iterations, 0);
}

TEST(Solve, ChecksSeeEveryResidualOrThoseAskedFor) {
    const auto a = generate<double>("laplace2d:n=30");
    const auto b = right_hand_side(a.rows);
    Solver<double> solver(a.clone(), {});
    std::vector<double> x(b.size()), y(b.size());
    const auto each = solver.solve(b, x);
    EXPECT_EQ(each.history.size(), static_cast<std::size_t>(each.iterations) + 1);
    int calls = 0;
    const auto some =
        solver.solve(b, y, {.check_every = 7, .on_check = [&](const Check& check) {
                                EXPECT_EQ(check.iteration % 7 == 0 || check.iteration == each.iterations, true);
                                ++calls;
                                return true;
                            }});
    EXPECT_EQ(calls, (each.iterations + 6) / 7 + 1);
    EXPECT_EQ(static_cast<std::size_t>(calls), some.history.size());
    EXPECT_EQ(x, y);
}

TEST(Solve, RefusesWhatItCannotUse) {
    const auto a = generate<double>("laplace2d:n=4");
    std::vector<double> b(16, 1), x(16);
    Solver<double> solver(a.clone(), {});
    EXPECT_EQ(test::message_of([&] { solver.solve(b, x, {.rtol = -1}); }),
              "2: a tolerance or a number of iterations of a solve is negative or NaN");
    EXPECT_EQ(test::message_of([&] { solver.update_values(b); }), "1: the matrix has 64 nonzeros, found 16 new values");
    EXPECT_EQ(test::message_of([&] { solver.solve(cuda::DeviceSpan<const double>(), {}); }),
              "1: a solver on the CPU needs b and x in the memory of the host");
    EXPECT_EQ(test::message_of([&] { solver.take_new_values(); }),
              "1: only a matrix on a GPU has new values without `update_values`");
    EXPECT_EQ(test::message_of([] { Solver<double>(generate<double>("uniform:n=4,cols=5,per_row=2"), {}); }),
              "1: to solve needs a square matrix, found 4 rows and 5 columns");
    EXPECT_THAT(test::message_of([&] { Solver<double>(a.clone(), {.preconditioner = "ilu"}); }),
                ::testing::HasSubstr("unknown preconditioner 'ilu'; there are none, jacobi, ssor-ai"));
#if !TILESPMV_HAS_CUDA
    EXPECT_THAT(test::message_of([&] { Solver<double>(a.clone(), {.backend = Backend::cuda}); }),
                ::testing::HasSubstr("no usable GPU"));
#endif
}

TEST(Solve, ChoosesARecurrenceByWhetherMIsFused) {
    const SolverMachine machine{.launch_seconds = 1, .bytes_per_s = 1};
    const auto chosen = [&](const char* m, bool constant_null_space) {
        return Solver<double>(path_laplacian(400),
                              {.preconditioner = m, .machine = &machine, .constant_null_space = constant_null_space})
            .method();
    };
    EXPECT_EQ(chosen("jacobi", false), Method::textbook) << "it moves less";
    EXPECT_EQ(chosen("ssor-ai", false), Method::chronopoulos_gear) << "it has fewer launches";
    EXPECT_EQ(chosen("jacobi", true), Method::chronopoulos_gear) << "the mean is removed after M";
}

TEST(Solve, TheBitsDoNotDependOnThreads) {
    const auto a = generate<double>("laplace2d:n=80,jump=100");
    const auto b = right_hand_side(a.rows);
    for (const Method method : kMethods) {
        for (const auto* m : {"jacobi", "ssor-ai:w=1.2"}) {
            const auto solved = [&] {
                std::vector<double> x(b.size());
                EXPECT_TRUE(Solver<double>(a.clone(), {.preconditioner = m, .method = method}).solve(b, x).converged());
                return x;
            };
            EXPECT_EQ(test::with_threads(1, solved), test::with_threads(3, solved)) << m;
        }
    }
}

}  // namespace
}  // namespace tilespmv::testing
