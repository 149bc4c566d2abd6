// Preconditioners as matrices: symmetric, positive definite, what their formulas say.
#include "kernels/solver/preconditioner/preconditioner.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <omp.h>

#include <Eigen/Dense>

#include "kernels/solver/preconditioner/host_preconditioner.hpp"
#include "tests/kernels/solver/systems.hpp"
#include "tests/support/message_of.hpp"
#include "tile/generate/generate.hpp"

namespace tilespmv::testing {
namespace {

using namespace tilespmv::solver;
using Eigen::MatrixXd;

const std::vector<std::string> kAll{"none",
                                    "jacobi",
                                    "jacobi:values=float32",
                                    "block-jacobi:size=1",
                                    "block-jacobi:size=2",
                                    "block-jacobi:size=3",
                                    "block-jacobi:size=5,values=float32",
                                    "block-jacobi:size=8",
                                    "block-jacobi:size=32",
                                    "ssor-ai",
                                    "ssor-ai:w=1.3",
                                    "ssor-ai:w=0.7,values=float32",
                                    "ssor-ai:operator=strip-omp"};

/// M, column by column.
template <class T>
MatrixXd dense_of(const AnyPreconditionerParts& parts, index_t size) {
    const auto m = make_host_preconditioner<T>(parts);
    MatrixXd dense(size, size);
    std::vector<T> r(static_cast<std::size_t>(size)), w(r.size(), T(7));
    for (std::size_t col = 0; col < r.size(); ++col) {
        std::ranges::fill(r, T(0));
        r[col] = 1;
        m->apply(r, w);
        for (std::size_t row = 0; row < r.size(); ++row)
            dense(static_cast<Eigen::Index>(row), static_cast<Eigen::Index>(col)) = double{w[row]};
    }
    return dense;
}

MatrixXd dense_m(const std::string& specification, const CsrMatrix<double>& a) {
    return dense_of<double>(make_preconditioner<double>(specification, a)->parts(), a.rows);
}

MatrixXd ssor_formula(const MatrixXd& a, double w) {
    const Eigen::VectorXd dw = a.diagonal() / w;
    const MatrixXd lower = a.triangularView<Eigen::StrictlyLower>();
    const MatrixXd g = lower * dw.cwiseInverse().asDiagonal();
    const MatrixXd one = MatrixXd::Identity(a.rows(), a.cols());
    const MatrixXd k = std::sqrt(2 - w) * MatrixXd(dw.cwiseSqrt().cwiseInverse().asDiagonal()) * (one - g);
    return k.transpose() * k;
}

MatrixXd block_formula(const MatrixXd& a, Eigen::Index size) {
    MatrixXd m = MatrixXd::Zero(a.rows(), a.cols());
    for (Eigen::Index first = 0; first < a.rows(); first += size) {
        const Eigen::Index count = std::min(size, a.rows() - first);
        m.block(first, first, count, count) = a.block(first, first, count, count).inverse();
    }
    return m;
}

std::vector<CsrMatrix<double>> systems() {
    std::vector<CsrMatrix<double>> all;
    all.push_back(generate<double>("elasticity:n=3"));
    all.push_back(generate<double>("laplace2d:n=9,jump=100"));
    for (const auto& [name, csr] : matrix_battery()) {
        if (std::min(csr.rows, csr.cols) <= 50) all.push_back(symmetric_of(csr, 1.1));
    }
    return all;
}

TEST(Preconditioner, AllAreSymmetricPositiveDefinite) {
    for (const auto& a : systems()) {
        if (a.rows == 0) continue;
        for (const auto& specification : kAll) {
            SCOPED_TRACE(specification + " of " + std::to_string(a.rows));
            const MatrixXd m = dense_m(specification, a);
            EXPECT_LE((m - m.transpose()).norm(), 1e-6 * m.norm());
            const MatrixXd symmetric = (m + m.transpose()) / 2;
            EXPECT_GT(Eigen::SelfAdjointEigenSolver<MatrixXd>(symmetric).eigenvalues().minCoeff(), 0);
        }
    }
}

TEST(Preconditioner, AllAreWhatTheirFormulasSay) {
    for (const auto& a : systems()) {
        const MatrixXd dense = to_eigen(a);
        const auto expect = [&](const std::string& specification, const MatrixXd& expected, double tolerance = 1e-13) {
            SCOPED_TRACE(specification + " of " + std::to_string(a.rows));
            EXPECT_LE((dense_m(specification, a) - expected).norm(), tolerance * expected.norm());
        };
        expect("none", MatrixXd::Identity(a.rows, a.rows));
        expect("jacobi", block_formula(dense, 1));
        expect("jacobi:values=float32", block_formula(dense, 1), 1e-7);
        for (const int size : {1, 2, 3, 4, 5, 6, 7, 8, 32})
            expect("block-jacobi:size=" + std::to_string(size), block_formula(dense, size), 1e-12);
        for (const double w : {1.0, 1.5}) {
            const auto specification = "ssor-ai:w=" + std::to_string(w);
            expect(specification, ssor_formula(dense, w));
            expect(specification + ",values=float32", ssor_formula(dense, w), 1e-6);
        }
    }
}

TEST(Preconditioner, VectorsMayBeNarrowerThanM) {
    const auto a = generate<float>("laplace2d:n=9,jump=100");
    const MatrixXd dense = to_eigen(convert_values<double>(a));
    const auto m = make_preconditioner<float>("ssor-ai:values=float64", a);
    EXPECT_TRUE(std::holds_alternative<PreconditionerParts<double>>(m->parts()));
    const MatrixXd expected = ssor_formula(dense, 1);
    EXPECT_LE((dense_of<float>(m->parts(), a.rows) - expected).norm(), 1e-6 * expected.norm());
}

TEST(Preconditioner, NewValuesGiveWhatIsMadeOfThem) {
    const auto a = symmetric_of(generate<double>("uniform:n=300,per_row=5"), 1.2);
    const auto next = symmetric_of(a, 1.7);
    ASSERT_EQ(a.col_idxs, next.col_idxs);
    for (const auto& specification : kAll) {
        SCOPED_TRACE(specification);
        const auto m = make_preconditioner<double>(specification, a);
        const auto host = make_host_preconditioner<double>(m->parts());
        m->update_values(next);
        host->update_values(m->parts());
        const auto fresh = make_preconditioner<double>(specification, next);
        const auto expected = make_host_preconditioner<double>(fresh->parts());
        const auto r = right_hand_side(a.rows);
        std::vector<double> w(r.size()), v(r.size());
        host->apply(r, w);
        expected->apply(r, v);
        EXPECT_EQ(w, v);
    }
}

TEST(Preconditioner, TheBitsDoNotDependOnThreads) {
    const auto a = generate<double>("elasticity:n=6");
    const auto r = right_hand_side(a.rows);
    const int threads = omp_get_max_threads();
    for (const auto& specification : kAll) {
        std::vector<std::vector<double>> results;
        for (const int count : {1, 3}) {
            omp_set_num_threads(count);
            const auto m = make_preconditioner<double>(specification, a);
            results.emplace_back(r.size());
            make_host_preconditioner<double>(m->parts())->apply(r, results.back());
        }
        EXPECT_EQ(results[0], results[1]) << specification;
    }
    omp_set_num_threads(threads);
}

TEST(Preconditioner, RefusesWhatIsNotPositiveDefinite) {
    const auto a = matrix_of_entries(
        4, {{{0, 0}, 1.0}, {{1, 1}, -2.0}, {{2, 2}, 1.0}, {{2, 3}, 3.0}, {{3, 2}, 3.0}, {{3, 3}, 1.0}});
    const auto message = [&](const char* specification) {
        return test::message_of([&] { make_preconditioner<double>(specification, a); });
    };
    EXPECT_EQ(
        message("jacobi"),
        "1: no jacobi preconditioner: it needs a positive diagonal, row 2 has -2; the matrix is not positive definite");
    EXPECT_THAT(message("ssor-ai"),
                ::testing::StartsWith("1: no ssor-ai preconditioner: it needs a positive diagonal"));
    EXPECT_EQ(
        message("block-jacobi:size=2"),
        "1: no block-jacobi:size=2 preconditioner: the block of rows 1 to 2 is not positive definite, so the matrix "
        "is not");
    const auto hole = matrix_of_entries(2, {{{0, 0}, 1.0}, {{0, 1}, 1.0}, {{1, 0}, 1.0}});
    EXPECT_THAT(test::message_of([&] { make_preconditioner<double>("jacobi", hole); }),
                ::testing::HasSubstr("row 2 has none"));
}

TEST(Preconditioner, RefusesWrongOptions) {
    const auto a = generate<double>("laplace2d:n=3");
    const auto message = [&](const char* specification) {
        return test::message_of([&] { make_preconditioner<double>(specification, a); });
    };
    EXPECT_THAT(message("none:size=3"), ::testing::HasSubstr("size"));
    EXPECT_THAT(message("block-jacobi:size=33"), ::testing::HasSubstr("33"));
    EXPECT_THAT(message("ssor-ai:w=2"), ::testing::HasSubstr("w"));
    EXPECT_THAT(message("ssor-ai:order=1"), ::testing::HasSubstr("order"));
    EXPECT_THAT(message("jacobi:values=float16"),
                ::testing::HasSubstr("values: found 'float16', expected float32 or float64"));
}

}  // namespace
}  // namespace tilespmv::testing
