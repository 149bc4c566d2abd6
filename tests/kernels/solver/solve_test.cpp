// Solves by the library's call against an oracle.
#include <numeric>

#include <gtest/gtest.h>
#include <omp.h>

#include "kernels/solver/solve.hpp"
#include "tests/kernels/solver/textbook_oracle.hpp"
#include "tests/support/message_of.hpp"
#include "tile/generate/generate.hpp"
#include "tile/matrix_market/matrix_market.hpp"

namespace tilespmv::testing {
namespace {

using namespace tilespmv::solver;

constexpr Method kMethods[]{Method::chronopoulos_gear, Method::textbook};

std::vector<double> right_hand_side(index_t size) {
    std::vector<double> b(static_cast<std::size_t>(size));
    for (std::size_t i = 0; i < b.size(); ++i) b[i] = std::sin(static_cast<double>(i) + 1) + 0.25;
    return b;
}

Eigen::VectorXd eigen(const std::vector<double>& v) {
    return Eigen::Map<const Eigen::VectorXd>(v.data(), static_cast<Eigen::Index>(v.size()));
}

double true_residual(const CsrMatrix<double>& a, const std::vector<double>& b, const std::vector<double>& x) {
    return (eigen(b) - to_eigen(a) * eigen(x)).norm();
}

TEST(Solve, GeneratedSystemsAsTheTextbookDoes) {
    for (const auto* spec : {"laplace2d:n=40", "laplace2d:n=40,jump=1000,block=5", "laplace2d:n=30,aniso=0.01",
                             "laplace3d:n=12", "laplace3d:n=11,contrast=0.5", "elasticity:n=5", "stencil27:n=9"}) {
        SCOPED_TRACE(spec);
        const auto a = generate<double>(spec);
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
            EXPECT_LE(true_residual(a, b, x), 1.001e-8 * eigen(b).norm());
            EXPECT_NEAR(report.residual, true_residual(a, b, x), 1e-10 * eigen(b).norm());
        }
    }
}

TEST(Solve, TheBitsDoNotDependOnThreads) {
    const auto a = generate<double>("laplace2d:n=150,jump=100");
    const auto b = right_hand_side(a.rows);
    const int threads = omp_get_max_threads();
    for (const Method method : kMethods) {
        for (const auto* m : {"jacobi", "block-jacobi:size=4", "ssor-ai:order=2"}) {
            std::vector<std::vector<double>> results;
            for (const int count : {1, 4}) {
                omp_set_num_threads(count);
                Solver<double> solver(a.clone(), {.preconditioner = m, .method = method});
                results.emplace_back(b.size());
                EXPECT_TRUE(solver.solve(b, results.back()).converged());
            }
            EXPECT_EQ(results[0], results[1]) << m;
        }
    }
    omp_set_num_threads(threads);
}

}  // namespace
}  // namespace tilespmv::testing
