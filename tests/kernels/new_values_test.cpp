// Operators of the CPU that take new values of the matrix that they were made from.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "formats/convert.hpp"
#include "kernels/cpu/host_operator.hpp"
#include "kernels/registry.hpp"
#include "selector/policy.hpp"
#include "tests/support/battery.hpp"
#include "tests/support/message_of.hpp"
#include "tests/support/refusal.hpp"
#include "tests/support/strip_sample.hpp"
#include "tile/generate/generate.hpp"

namespace tilespmv::testing {
namespace {

template <class T>
std::vector<T> product_of(const Operator<T>& a) {
    std::vector<T> x(static_cast<std::size_t>(a.cols())), y(static_cast<std::size_t>(a.rows()), T{-1});
    for (std::size_t i = 0; i < x.size(); ++i) x[i] = static_cast<T>(1 + i % 7) / 4;
    a.apply(T{1}, x, T{0}, y);
    return y;
}

template <class T>
void fill(Buffer<T>& values, int round) {
    for (std::size_t k = 0; k < values.size(); ++k)
        values[k] = static_cast<T>(static_cast<double>((k * 37 + 11) % 101) / (8 * round) - 5);
}

/// The bits of an operator that is made of the new values: in an array of their own, where the matrix stays as it was,
/// and in that of the matrix.
template <class T>
void expect_taken(CsrMatrix<T> a, const OperatorEntry& info) {
    const std::string op(info.name);
    const auto before = a.clone();
    const auto made = unless_refused(info, [&] { return make_operator<T>(op, a); });
    if (made == nullptr) return;
    ASSERT_TRUE(made->takes_new_values());
    for (int round = 1; round <= 3; ++round) {
        auto other = a.clone();
        fill(other.values, round);
        if (round > 2) fill(a.values, round);
        made->update_values(round > 2 ? a.values : other.values);
        EXPECT_EQ(product_of(*made), product_of(*make_operator<T>(op, other))) << "round " << round;
        if (round == 2) {
            EXPECT_EQ(a, before);
        }
    }
}

template <class T>
void expect_all_taken(const CsrMatrix<T>& a) {
    for (const auto& info : operators<T>(Backend::cpu)) {
        SCOPED_TRACE(std::string(info.name));
        if (info.name != "auto") expect_taken<T>(a.clone(), info);
    }
}

TEST(NewValues, OfTheBattery) {
    for (const auto& one : matrix_battery()) {
        SCOPED_TRACE(one.name);
        expect_all_taken(one.csr);
    }
}

TEST(NewValues, OfStripsThatShareAPatternAndThoseThatDoNot) {
    for (const auto* spec : {"laplace2d:n=50", "stencil27:n=9", "fem:n=7,dof=3", "uniform:n=300,cols=451,per_row=20"}) {
        SCOPED_TRACE(spec);
        expect_all_taken(generate<double>(spec));
        expect_all_taken(generate<float>(spec));
    }
}

TEST(NewValues, OfTilesThatWereGivenLeaveThoseAsTheyAre) {
    const auto a = strips_beside_others();
    const auto tiles = convert(a, *make_policy("paper-deferred"));
    auto other = a.clone();
    fill(other.values, 1);
    const auto other_tiles = convert(other, *make_policy("paper-deferred"));
    for (const auto* name : {"tile-omp", "strip-omp"}) {
        SCOPED_TRACE(name);
        const auto op = make_operator<double>(name, tiles);
        const auto executed = op->executed();
        op->update_values(other.values);
        EXPECT_EQ(product_of(*op), product_of(*make_operator<double>(name, other_tiles)));
        EXPECT_EQ(unpack(tiles), a);
        EXPECT_EQ(op->executed(), executed);
    }
}

/// One that says nothing about new values must not keep the old ones silently.
class Unchanging final : public cpu::HostOperator<double> {
public:
    explicit Unchanging(std::string_view why = {})
        : HostOperator({.name = "unchanging", .rows = 1, .cols = 1, .nnz = 1, .no_new_values = why}) {}
    void multiply(double, std::span<const double>, double, std::span<double>) const override {}
};

TEST(NewValues, AreRefusedByAnOperatorThatTakesNone) {
    Unchanging op;
    EXPECT_EQ(test::message_of([&] { op.update_values(std::vector<double>{1}); }),
              "1: operator unchanging takes no new values; make it again from the new matrix");
}

TEST(NewValues, MakeAnOperatorAgainThatTakesNone) {
    const auto a = matrix_of(1, 1, {{0, 0}});
    std::unique_ptr<Operator<double>> op = std::make_unique<Unchanging>(kMakeAgain);
    update_or_make_again<double>(op, a.values, [&] { return make_operator<double>("csr-omp", a); });
    EXPECT_EQ(op->name(), "csr-omp");
    update_or_make_again<double>(op, a.values, [] { return std::make_unique<Unchanging>(); });
    EXPECT_EQ(op->name(), "csr-omp") << "it takes them";
}

}  // namespace
}  // namespace tilespmv::testing
