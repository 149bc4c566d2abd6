#include "kernels/registry.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "kernels/check.hpp"
#include "kernels/cpu/vectors.hpp"
#include "selector/policy.hpp"
#include "tests/support/battery.hpp"
#include "tests/support/message_of.hpp"
#include "tests/support/refusal.hpp"
#include "tests/support/threads.hpp"
#include "tile/error.hpp"

namespace tilespmv::testing {
namespace {

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
constexpr double kInf = std::numeric_limits<double>::infinity();

template <class V>
std::vector<V> numbers(index_t size, int seed) {
    std::vector<V> v(static_cast<std::size_t>(size));
    for (std::size_t i = 0; i < v.size(); ++i) v[i] = static_cast<V>(std::sin(static_cast<double>(i) * 7 + seed));
    return v;
}

/// y = alpha A x + beta y, and what is expected of it, computed once for all operators.
template <class V>
class Product {
public:
    Product(const CsrMatrix<V>& csr, V alpha, V beta, const std::vector<V>& x)
        : alpha_(alpha),
          beta_(beta),
          x_(x),
          before_(beta == V(0) ? std::vector<V>(static_cast<std::size_t>(csr.rows), static_cast<V>(kNaN))
                               : numbers<V>(csr.rows, 2)),
          expected_(expected_product<V>(csr, alpha, x, beta, before_)) {}

    void expect_of(const Operator<V>& a) const {
        auto y = before_;
        a.apply(alpha_, x_, beta_, y);
        const auto result = check_product<V>(expected_, y);
        EXPECT_TRUE(result.ok) << a.name() << ' ' << result.message() << " alpha " << alpha_ << " beta " << beta_;
    }

private:
    V alpha_;
    V beta_;
    std::vector<V> x_;
    std::vector<V> before_;
    ExpectedProduct expected_;
};

using Sets = std::vector<std::string>;

/// Calls f(operator) for every operator of the build that is made from `form`, with the vectors of these sets.
template <class V, class F>
void for_each_made_from(Form form, const Source<V>& source, const Sets& sets, F&& f) {
    for (const auto& vectors : sets) {
        SCOPED_TRACE(vectors);
        cpu::hold_vectors(vectors);
        for (const auto& info : operators<V>(Backend::cpu)) {
            if (info.made_from != form) continue;
            if (const auto a = unless_refused(info, [&] { return make_operator<V>(info.name, source); })) f(*a);
        }
    }
    cpu::hold_vectors(cpu::vector_sets().front());
}

/// The same, on CSR and on the tiles of every selector.
template <class V, class F>
void for_each_operator(const CsrMatrix<V>& csr, F&& f, const Sets& sets = {cpu::vector_sets().front()}) {
    for_each_made_from<V>(Form::csr, csr, sets, f);
    for (const auto& selector : selectors()) {
        SCOPED_TRACE(std::string(selector.name));
        const auto tiles = convert(csr, *make_policy(selector.name));
        for_each_made_from<V>(Form::tiles, {csr, tiles}, sets, f);
    }
}

template <class V>
class EveryOperator : public ::testing::Test {};
using ValueTypes = ::testing::Types<double, float>;
TYPED_TEST_SUITE(EveryOperator, ValueTypes);

TYPED_TEST(EveryOperator, IsRightOnEveryMatrixForEveryAlphaAndBeta) {
    using V = TypeParam;
    for (const auto& [name, matrix] : matrix_battery()) {
        SCOPED_TRACE(name);
        const auto csr = convert_values<V>(matrix);
        const auto x = numbers<V>(csr.cols, 1);
        std::vector<Product<V>> products;
        for (const V alpha : {V(0), V(1), V(-1), V(2.5)}) {
            for (const V beta : {V(0), V(1), V(-0.5)}) products.emplace_back(csr, alpha, beta, x);
        }
        for_each_operator<V>(csr, [&](const Operator<V>& a) {
            for (const auto& product : products) product.expect_of(a);
        });
    }
}

TYPED_TEST(EveryOperator, IsRightOnEveryInstructionSetOfTheMachineWithInfinityAndNaNToo) {
    using V = TypeParam;
    for (const auto& [name, matrix] : matrix_battery()) {
        SCOPED_TRACE(name);
        auto csr = convert_values<V>(matrix);
        const auto x = numbers<V>(csr.cols, 1);
        auto infinite = x;
        for (std::size_t i = 0; i < x.size(); i += 5) infinite[i] = static_cast<V>(i % 2 == 0 ? kInf : kNaN);
        const Product<V> finite(csr, V(2.5), V(-0.5), x);
        const Product<V> infinite_x(csr, V(1), V(0), infinite);
        const auto expect_both = [&](const Operator<V>& a) {
            finite.expect_of(a);
            infinite_x.expect_of(a);
        };
        for_each_operator<V>(csr, expect_both, cpu::vector_sets());
        for (std::size_t i = 0; i < csr.values.size(); i += 7)
            csr.values[i] = static_cast<V>(i % 2 == 0 ? -kInf : kNaN);
        const Product<V> infinite_values(csr, V(1), V(0), x);
        for_each_operator<V>(
            csr, [&](const Operator<V>& a) { infinite_values.expect_of(a); }, cpu::vector_sets());
    }
}

// Of the widest vectors and of none.
TYPED_TEST(EveryOperator, GivesTheSameBitsForAnyNumberOfThreads) {
    using V = TypeParam;
    for (const auto& [name, matrix] : matrix_battery()) {
        SCOPED_TRACE(name);
        const auto csr = convert_values<V>(matrix);
        const auto x = numbers<V>(csr.cols, 3);
        std::vector<std::vector<V>> of_one_thread;
        for (const int count : {1, 3}) {
            const test::Threads threads(count);
            std::size_t at = 0;
            for_each_operator<V>(csr,
                                 [&](const Operator<V>& a) {
                                     std::vector<V> y(static_cast<std::size_t>(csr.rows), static_cast<V>(kNaN));
                                     a.apply(V(1), x, V(0), y);
                                     if (count == 1) of_one_thread.push_back(y);
                                     EXPECT_EQ(of_one_thread.at(at++), y)
                                         << a.name() << " with " << count << " threads";
                                 },
                                 {cpu::vector_sets().front(), cpu::vector_sets().back()});
        }
    }
}

/// A tile row that many threads share, a row without nonzeros.
template <class V>
CsrMatrix<V> long_rows() {
    for (const auto& [name, a] : matrix_battery()) {
        if (name == "long rows") return convert_values<V>(a);
    }
    throw Error("no long rows");
}

TYPED_TEST(EveryOperator, ReadsNeitherANorXIfAlphaIsZero) {
    using V = TypeParam;
    auto csr = long_rows<V>();
    for (const double poison : {kNaN, kInf}) {
        std::ranges::fill(csr.values, static_cast<V>(poison));
        const std::vector<V> x(static_cast<std::size_t>(csr.cols), static_cast<V>(poison));
        for_each_operator<V>(csr, [&](const Operator<V>& a) {
            const auto expect = [&](V before, V beta, V after) {
                std::vector<V> y(static_cast<std::size_t>(csr.rows), before);
                a.apply(V(0), x, beta, y);
                for (const V value : y) ASSERT_TRUE(value == after && !std::signbit(value)) << a.name() << ' ' << beta;
            };
            expect(V(3), V(2), V(6));
            expect(V(3), V(1), V(3));
            expect(static_cast<V>(poison), V(0), V(0));
        });
    }
}

TYPED_TEST(EveryOperator, TakesNaNInAlphaOrBetaToEveryRow) {
    using V = TypeParam;
    const auto csr = long_rows<V>();
    const std::vector<V> x(static_cast<std::size_t>(csr.cols), V(1));
    const auto nan = static_cast<V>(kNaN);
    for_each_operator<V>(csr, [&](const Operator<V>& a) {
        for (const auto& [alpha, beta] : {std::pair(V(1), nan), std::pair(V(0), nan), std::pair(nan, V(0))}) {
            std::vector<V> y(static_cast<std::size_t>(csr.rows), V(2));
            a.apply(alpha, x, beta, y);
            for (const V value : y) ASSERT_TRUE(std::isnan(value)) << a.name() << ' ' << alpha << ' ' << beta;
        }
    });
}

TYPED_TEST(EveryOperator, NamesAVectorOfAnotherSize) {
    using V = TypeParam;
    const auto csr = convert_values<V>(matrix_of(20, 30, {{0, 0}, {19, 29}}));
    for_each_operator<V>(csr, [&](const Operator<V>& a) {
        const auto message = [&](std::size_t x_size, std::size_t y_size) {
            std::vector<V> y(y_size, V(7));
            const auto text =
                test::message_of([&] { a.apply(V(0), std::vector<V>(x_size, V(1)), V(0), std::span<V>(y)); });
            EXPECT_EQ(y, std::vector<V>(y_size, V(7)));
            return text;
        };
        const std::string begin = "1: " + std::string(a.name());
        EXPECT_EQ(message(29, 20), begin + ": x has 29 values, expected 30, the columns of the matrix");
        EXPECT_EQ(message(31, 20), begin + ": x has 31 values, expected 30, the columns of the matrix");
        EXPECT_EQ(message(30, 19), begin + ": y has 19 values, expected 20, the rows of the matrix");
        EXPECT_EQ(message(30, 21), begin + ": y has 21 values, expected 20, the rows of the matrix");
    });
}

TYPED_TEST(EveryOperator, RefusesBlocksThatItCannotMultiply) {
    using V = TypeParam;
    const auto csr = convert_values<V>(matrix_of(20, 30, {{0, 0}, {19, 29}}));
    for_each_operator<V>(csr, [&](const Operator<V>& a) {
        std::vector<V> xs(60);
        std::vector<V> ys(40, V(3));
        const auto x_of = [&](int columns, Layout layout, Memory memory) {
            return Block<const V>(xs.data(), 30, columns, layout == Layout::row_major ? 2 : 30, layout, memory);
        };
        const auto y_of = [&](int columns, Layout layout, Memory memory) {
            return Block<V>(ys.data(), 20, columns, layout == Layout::row_major ? 2 : 20, layout, memory);
        };
        const auto message = [&](const Block<const V>& x, const Block<V>& y, const Run& run = {}) {
            return test::message_of([&] { a.apply(V(1), x, V(0), y, run); });
        };
        const std::string begin = "1: " + std::string(a.name());
        const auto columns = Layout::column_major;
        EXPECT_EQ(message(x_of(2, columns, Memory::host), y_of(1, columns, Memory::host)),
                  begin + ": x has 2 columns, y has 1");
        auto narrow = x_of(2, Layout::row_major, Memory::host);
        narrow.ld = 1;
        EXPECT_EQ(message(narrow, y_of(2, columns, Memory::host)),
                  begin + ": the leading dimension of x is 1, expected at least 2");
        auto low = y_of(2, columns, Memory::host);
        low.ld = 19;
        EXPECT_EQ(message(x_of(2, columns, Memory::host), low),
                  begin + ": the leading dimension of y is 19, expected at least 20");
        EXPECT_EQ(message(x_of(-1, columns, Memory::host), y_of(-1, columns, Memory::host)),
                  begin + ": x and y have -1 columns, expected at least 0");
        Block<const V> same = y_of(1, columns, Memory::host);
        same.rows = x_of(1, columns, Memory::host).rows;
        EXPECT_EQ(message(same, y_of(1, columns, Memory::host)),
                  begin + ": x and y are the same array; give y memory of its own");
        EXPECT_EQ(message(x_of(1, columns, Memory::device), y_of(1, columns, Memory::host)),
                  begin + ": x and y are not in the same memory, that of the host or that of the GPU");
        EXPECT_EQ(message(x_of(1, columns, Memory::device), y_of(1, columns, Memory::device)),
                  begin + " runs on the CPU: x and y must be in the memory of the host");
        const double beta = 1;
        EXPECT_EQ(test::message_of([&] {
                      a.apply(1.0, x_of(1, columns, Memory::host), Scalar::on_device(&beta),
                              y_of(1, columns, Memory::host));
                  }),
                  begin + " runs on the CPU: alpha and beta must be in the memory of the host");
        Run transposed;
        transposed.op = Op::transpose;
        EXPECT_EQ(message(x_of(1, columns, Memory::host), y_of(1, columns, Memory::host), transposed),
                  begin + " does not multiply by the transpose; an operator made by with_transpose does");
        EXPECT_EQ(ys, std::vector<V>(40, V(3)));
    });
}

TEST(Vectors, AreThoseThatOperatorsAreHeldTo) {
    const auto sets = cpu::vector_sets();
    int lanes = 8;
    for (const auto& set : sets) {
        cpu::hold_vectors(set);
        EXPECT_EQ(cpu::vectors_in_use(), set);
        EXPECT_LE(cpu::vector_lanes(), lanes) << set;
        lanes = cpu::vector_lanes();
    }
    EXPECT_THROW(cpu::hold_vectors("abacus"), Error);
    EXPECT_EQ(cpu::vectors_in_use(), sets.back()) << "what is refused changes nothing";
    cpu::hold_vectors(sets.front());
    EXPECT_EQ(cpu::vectors_in_use(), sets.front());
}

}  // namespace
}  // namespace tilespmv::testing
