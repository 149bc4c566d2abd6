#include <gtest/gtest.h>

#include "kernels/registry.hpp"
#include "selector/policy.hpp"
#include "tests/kernels/solver/textbook_oracle.hpp"
#include "tests/support/refusal.hpp"
#include "tile/generate/generate.hpp"
#include "tile/matrix_market/matrix_market.hpp"

// An oracle that shares no line with the project.
namespace tilespmv::testing {
namespace {

void expect_equals_eigen(const CsrMatrix<double>& a) {
    const Eigen::VectorXd x = Eigen::VectorXd::LinSpaced(a.cols, -1, 2);
    const Eigen::VectorXd expected = to_eigen(a) * x;
    for (const auto* selector : {"bytes", "paper", "paper-deferred"}) {
        const auto tiles = convert(a, *make_policy(selector));
        for (const auto& info : operators<double>(Backend::cpu)) {
            Eigen::VectorXd y = Eigen::VectorXd::Constant(a.rows, 7);
            const auto size = [](const Eigen::VectorXd& v) { return static_cast<std::size_t>(v.size()); };
            const auto op = unless_refused(info, [&] { return make_operator<double>(info.name, {a, tiles}); });
            if (!op) continue;
            op->apply(1, {x.data(), size(x)}, 0, {y.data(), size(y)});
            EXPECT_LE((y - expected).norm(), 1e-13 * expected.norm()) << selector << ' ' << info.name;
        }
    }
}

TEST(Eigen, AgreesOnGeneratedMatrices) {
    for (const auto* spec : {"fem:n=9", "rmat:scale=11", "circuit:n=5000", "uniform:n=3000", "kkt:n=3000",
                             "delaunay:n=3000", "block-dense:n=800", "arrow:n=3000", "powerlaw:n=4000"}) {
        SCOPED_TRACE(spec);
        expect_equals_eigen(generate<double>(spec));
    }
}

TEST(Eigen, AgreesOnTheBundledMatrices) {
    for (const auto* name : {"bcsstk16", "cage10", "memplus"}) {
        SCOPED_TRACE(name);
        expect_equals_eigen(read_matrix_market<double>(std::string(TILESPMV_REAL_MATRICES "/") + name + ".mtx.xz"));
    }
}

}  // namespace
}  // namespace tilespmv::testing
