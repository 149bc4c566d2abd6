// Preconditioners as matrices: symmetric, positive definite, what their formulas say.
#include "kernels/solver/preconditioner/preconditioner.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <Eigen/Dense>

#include "kernels/solver/cpu_space.hpp"
#include "tests/kernels/solver/systems.hpp"
#include "tests/support/message_of.hpp"
#include "tests/support/threads.hpp"
#include "tile/generate/generate.hpp"

namespace tilespmv::testing {
namespace {

using namespace tilespmv::solver;
using Eigen::MatrixXd;

const std::vector<std::string> kAll{"none", "jacobi", "ssor-ai", "ssor-ai:w=1.3", "ssor-ai:operator=strip-omp"};

/// M on the CPU, in a space whose A is 0.
template <class T>
class OnCpu {
public:
    explicit OnCpu(const PreconditionerParts<T>& parts)
        : a_{parts.size, parts.size, Buffer<offset_t>(static_cast<std::size_t>(parts.size) + 1, 0), {}, {}},
          space_(SystemOperator<T>("csr-omp", a_, CpuSpace<T>::make), preconditioner_of<T>(parts, CpuSpace<T>::make)) {}
    void apply(const std::vector<T>& r, std::vector<T>& w) {
        space_.precondition({r.data(), r.size()}, {w.data(), w.size()});
    }
    void follow() { space_.follow_preconditioner(); }

private:
    CsrMatrix<T> a_;
    CpuSpace<T> space_;
};

/// M, column by column.
template <class T>
MatrixXd dense_of(const PreconditionerParts<T>& parts, index_t size) {
    OnCpu<T> m(parts);
    MatrixXd dense(size, size);
    std::vector<T> r(static_cast<std::size_t>(size)), w(r.size(), T(7));
    for (std::size_t col = 0; col < r.size(); ++col) {
        std::ranges::fill(r, T(0));
        r[col] = 1;
        m.apply(r, w);
        for (std::size_t row = 0; row < r.size(); ++row)
            dense(static_cast<Eigen::Index>(row), static_cast<Eigen::Index>(col)) = double{w[row]};
    }
    return dense;
}

MatrixXd dense_m(const std::string& specification, const CsrMatrix<double>& a) {
    return dense_of(make_preconditioner<double>(specification, a)->parts(), a.rows);
}

MatrixXd ssor_formula(const MatrixXd& a, double w) {
    const Eigen::VectorXd dw = a.diagonal() / w;
    const MatrixXd lower = a.triangularView<Eigen::StrictlyLower>();
    const MatrixXd g = lower * dw.cwiseInverse().asDiagonal();
    const MatrixXd one = MatrixXd::Identity(a.rows(), a.cols());
    const MatrixXd k = std::sqrt(2 - w) * MatrixXd(dw.cwiseSqrt().cwiseInverse().asDiagonal()) * (one - g);
    return k.transpose() * k;
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
        const auto expect = [&](const std::string& specification, const MatrixXd& expected) {
            SCOPED_TRACE(specification + " of " + std::to_string(a.rows));
            EXPECT_LE((dense_m(specification, a) - expected).norm(), 1e-13 * expected.norm());
        };
        expect("none", MatrixXd::Identity(a.rows, a.rows));
        expect("jacobi", dense.diagonal().cwiseInverse().asDiagonal());
        for (const double w : {1.0, 1.5}) expect("ssor-ai:w=" + std::to_string(w), ssor_formula(dense, w));
    }
}

TEST(Preconditioner, NewValuesGiveWhatIsMadeOfThem) {
    const auto a = symmetric_of(generate<double>("uniform:n=300,per_row=5"), 1.2);
    const auto next = symmetric_of(a, 1.7);
    ASSERT_EQ(a.col_idxs, next.col_idxs);
    for (const auto& specification : kAll) {
        SCOPED_TRACE(specification);
        const auto m = make_preconditioner<double>(specification, a);
        OnCpu<double> host(m->parts());
        m->update_values(next);
        host.follow();
        const auto fresh = make_preconditioner<double>(specification, next);
        OnCpu<double> expected(fresh->parts());
        const auto r = right_hand_side(a.rows);
        std::vector<double> w(r.size()), v(r.size());
        host.apply(r, w);
        expected.apply(r, v);
        EXPECT_EQ(w, v);
    }
}

TEST(Preconditioner, TheBitsDoNotDependOnThreads) {
    const auto a = generate<double>("elasticity:n=6");
    const auto r = right_hand_side(a.rows);
    for (const auto& specification : kAll) {
        const auto applied = [&] {
            std::vector<double> w(r.size());
            const auto m = make_preconditioner<double>(specification, a);
            OnCpu<double>(m->parts()).apply(r, w);
            return w;
        };
        EXPECT_EQ(test::with_threads(1, applied), test::with_threads(3, applied)) << specification;
    }
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
    const auto hole = matrix_of_entries(2, {{{0, 0}, 1.0}, {{0, 1}, 1.0}, {{1, 0}, 1.0}});
    EXPECT_THAT(test::message_of([&] { make_preconditioner<double>("jacobi", hole); }),
                ::testing::HasSubstr("row 2 has none"));
    const auto zero = matrix_of_entries(2, {{{0, 0}, 1.0}, {{1, 1}, 0.0}});
    EXPECT_THAT(test::message_of([&] { make_preconditioner<double>("jacobi", zero); }),
                ::testing::HasSubstr("row 2 has 0"));
}

TEST(Preconditioner, RefusesWrongOptions) {
    const auto a = generate<double>("laplace2d:n=3");
    const auto message = [&](const char* specification) {
        return test::message_of([&] { make_preconditioner<double>(specification, a); });
    };
    EXPECT_THAT(message("none:size=3"), ::testing::HasSubstr("size"));
    EXPECT_THAT(message("ssor-ai:w=2"), ::testing::HasSubstr("w"));
    EXPECT_THAT(message("ssor-ai:order=1"), ::testing::HasSubstr("order"));
    EXPECT_THAT(message("jacobi:values=float32"), ::testing::HasSubstr("values"));
}

}  // namespace
}  // namespace tilespmv::testing
