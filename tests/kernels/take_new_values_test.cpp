// Operators of the CPU that take new values of the CSR matrix that they were made from.
#include <gtest/gtest.h>

#include <set>
#include <string>
#include <vector>

#include "formats/convert.hpp"
#include "kernels/auto/host_auto.hpp"
#include "kernels/registry.hpp"
#include "kernels/strip/strip_matrix.hpp"
#include "selector/policy.hpp"
#include "tests/support/battery.hpp"
#include "tests/support/refusal.hpp"
#include "tile/generate/generate.hpp"

namespace tilespmv::testing {
namespace {

const std::set<std::string> kTaking{"reference", "csr-omp", "strip-omp", "tile-omp",
                                    "ell-omp",   "dia-omp", "hyb-omp",   "auto"};

template <class T>
std::vector<T> product_of(const Operator<T>& a) {
    std::vector<T> x(static_cast<std::size_t>(a.cols())), y(static_cast<std::size_t>(a.rows()), T{-1});
    for (std::size_t i = 0; i < x.size(); ++i) x[i] = static_cast<T>(1 + i % 7) / 4;
    a.apply(T{1}, x, T{0}, y);
    return y;
}

/// The bits of an operator that is made of the new values.
template <class T>
void expect_taken(CsrMatrix<T> a, const std::string& op) {
    const auto& info = find_operator<T>(Backend::cpu, op);
    const auto made = unless_refused(info, [&] { return cpu::make_converting<T>(op, MatrixForms<T>(&a)); });
    if (made == nullptr) return;
    for (int round = 1; round <= 2; ++round) {
        for (std::size_t k = 0; k < a.values.size(); ++k)
            a.values[k] = static_cast<T>(static_cast<double>((k * 37 + 11) % 101) / (8 * round) - 5);
        if (!made->take_new_values(a)) {
            ASSERT_FALSE(kTaking.contains(op));
            return;
        }
        EXPECT_EQ(product_of(*made), product_of(*cpu::make_converting<T>(op, MatrixForms<T>(&a))));
    }
}

template <class T>
void expect_all_taken(const CsrMatrix<T>& a) {
    for (const auto& info : operators<T>(Backend::cpu)) {
        SCOPED_TRACE(std::string(info.name));
        expect_taken<T>(a.clone(), std::string(info.name));
    }
}

TEST(TakeNewValues, OfTheBattery) {
    for (const auto& one : matrix_battery()) {
        SCOPED_TRACE(one.name);
        expect_all_taken(one.csr);
    }
}

TEST(TakeNewValues, OfStripsThatShareAPatternAndThoseThatDoNot) {
    for (const auto* spec : {"laplace2d:n=50", "stencil27:n=9", "fem:n=7,dof=3", "uniform:n=300,cols=451,per_row=20"}) {
        SCOPED_TRACE(spec);
        expect_all_taken(generate<double>(spec));
        expect_all_taken(generate<float>(spec));
    }
}

// It has copies of neither, and cannot know that they are new.
TEST(TakeNewValues, NotOfAnotherMatrixOrForm) {
    const auto a = generate<double>("laplace2d:n=20"), other = a.clone();
    for (const auto* op : {"csr-omp", "reference", "strip-omp", "ell-omp", "dia-omp", "hyb-omp"})
        EXPECT_FALSE(make_operator<double>(op, {&a})->take_new_values(other)) << op;
    const auto tiles = convert(a, *make_policy("bytes"));
    EXPECT_FALSE(make_operator<double>("tile-omp", {&tiles})->take_new_values(a));
    const auto strips = make_strip_matrix(a);
    EXPECT_FALSE(make_operator<double>("strip-omp", {&strips})->take_new_values(a));
}

}  // namespace
}  // namespace tilespmv::testing
