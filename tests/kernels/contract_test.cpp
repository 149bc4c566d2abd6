#include <cmath>
#include <limits>

#include <gtest/gtest.h>

#include "kernels/check.hpp"
#include "kernels/registry.hpp"
#include "selector/policy.hpp"
#include "tests/support/battery.hpp"
#include "tests/support/refusal.hpp"
#include "tile/error.hpp"

// What every operator promises beyond a right product: what it must not read, and what it does with sizes of 0.
namespace tilespmv::testing {
namespace {

template <class V>
class OperatorContract : public ::testing::Test {
protected:
    static constexpr V kNaN = std::numeric_limits<V>::quiet_NaN();
    static constexpr V kInf = std::numeric_limits<V>::infinity();

    /// Calls f(operator) for every operator of the build, on tiles of several kinds.
    template <class F>
    static void for_each_operator(const CsrMatrix<V>& csr, F&& f) {
        for (const auto* selector : {"bytes", "paper", "paper-deferred:defer=256"}) {
            const auto tiles = convert(csr, *make_policy(selector));
            for (const auto& info : operators<V>(Backend::cpu)) {
                SCOPED_TRACE(std::string(info.name) + ' ' + selector);
                const auto a = unless_refused(info, [&] { return make_operator<V>(info.name, {&csr, &tiles}); });
                if (a) f(*a);
            }
        }
    }

    static std::vector<V> vector_of(index_t size, V value) {
        return std::vector<V>(static_cast<std::size_t>(size), value);
    }

    /// Tiles of all kinds, a tile row that many threads share, a row without nonzeros.
    static CsrMatrix<V> matrix() {
        for (auto& [name, a] : matrix_battery()) {
            if (name == "long rows") return convert_values<V>(a);
        }
        throw Error("no long rows");
    }
};
using ValueTypes = ::testing::Types<double, float>;
TYPED_TEST_SUITE(OperatorContract, ValueTypes);

TYPED_TEST(OperatorContract, AlphaZeroReadsNeitherANorX) {
    using V = TypeParam;
    for (const V poison : {this->kNaN, this->kInf}) {
        for (const bool in_matrix : {false, true}) {
            auto csr = this->matrix();
            if (in_matrix) std::fill(csr.values.begin(), csr.values.end(), poison);
            const auto x = this->vector_of(csr.cols, in_matrix ? V(1) : poison);
            this->for_each_operator(csr, [&](const Operator<V>& a) {
                auto y = this->vector_of(csr.rows, V(3));
                a.apply(V(0), x, V(-2), y);
                EXPECT_EQ(y, this->vector_of(csr.rows, V(-6)));
                a.apply(V(0), x, V(1), y);
                EXPECT_EQ(y, this->vector_of(csr.rows, V(-6)));
            });
        }
    }
}

TYPED_TEST(OperatorContract, AlphaAndBetaZeroWriteZerosWhateverThereIs) {
    using V = TypeParam;
    auto csr = this->matrix();
    std::fill(csr.values.begin(), csr.values.end(), this->kInf);
    const auto x = this->vector_of(csr.cols, this->kNaN);
    this->for_each_operator(csr, [&](const Operator<V>& a) {
        auto y = this->vector_of(csr.rows, this->kNaN);
        a.apply(V(0), x, V(0), y);
        for (const V value : y) EXPECT_TRUE(value == V(0) && !std::signbit(value));
    });
}

TYPED_TEST(OperatorContract, BetaZeroDoesNotReadY) {
    using V = TypeParam;
    for (const auto& [name, matrix] : matrix_battery()) {
        SCOPED_TRACE(name);
        const auto csr = convert_values<V>(matrix);
        const auto x = this->vector_of(csr.cols, V(0.5));
        this->for_each_operator(csr, [&](const Operator<V>& a) {
            auto expected = this->vector_of(csr.rows, V(0));
            a.apply(V(1), x, V(0), expected);
            for (const V poison : {this->kNaN, this->kInf, -this->kInf}) {
                auto y = this->vector_of(csr.rows, poison);
                a.apply(V(1), x, V(0), y);
                EXPECT_EQ(y, expected);
            }
        });
    }
}

TYPED_TEST(OperatorContract, BetaOneAddsAndMinusOneSubtractsTheOldY) {
    using V = TypeParam;
    for (const auto& [name, matrix] : matrix_battery()) {
        SCOPED_TRACE(name);
        auto csr = convert_values<V>(matrix);
        std::fill(csr.values.begin(), csr.values.end(), V(1));  // sums are exact
        const auto x = this->vector_of(csr.cols, V(1));
        this->for_each_operator(csr, [&](const Operator<V>& a) {
            for (const V beta : {V(1), V(-1)}) {
                auto y = this->vector_of(csr.rows, V(5));
                a.apply(V(2), x, beta, y);
                for (index_t r = 0; r < csr.rows; ++r) {
                    const auto length = static_cast<V>(csr.row_ptrs[r + 1] - csr.row_ptrs[r]);
                    ASSERT_EQ(y[static_cast<std::size_t>(r)], 2 * length + 5 * beta) << "row " << r;
                }
            }
        });
    }
}

TYPED_TEST(OperatorContract, NaNInAlphaOrBetaReachesEveryRow) {
    using V = TypeParam;
    const auto csr = this->matrix();
    const auto x = this->vector_of(csr.cols, V(1));
    this->for_each_operator(csr, [&](const Operator<V>& a) {
        const std::array<std::pair<V, V>, 4> factors{
            {{1, this->kNaN}, {0, this->kNaN}, {this->kNaN, 0}, {this->kNaN, 1}}};
        for (const auto& [alpha, beta] : factors) {
            auto y = this->vector_of(csr.rows, V(2));
            a.apply(alpha, x, beta, y);
            for (const V value : y) EXPECT_TRUE(std::isnan(value)) << "alpha " << alpha << " beta " << beta;
        }
    });
}

TYPED_TEST(OperatorContract, SizesOfZeroAreMatricesToo) {
    using V = TypeParam;
    for (const auto& [rows, cols] : {std::pair{0, 0}, {0, 40}, {40, 0}}) {
        const auto csr = convert_values<V>(matrix_of(rows, cols, {}));
        const auto x = this->vector_of(cols, this->kNaN);
        this->for_each_operator(csr, [&, n = rows](const Operator<V>& a) {
            EXPECT_EQ(a.nnz(), 0);
            for (const V beta : {V(0), V(1), V(-2)}) {
                auto y = this->vector_of(n, beta == V(0) ? this->kNaN : V(3));
                a.apply(V(1), x, beta, y);
                EXPECT_EQ(y, this->vector_of(n, beta == V(0) ? V(0) : 3 * beta));
            }
        });
    }
}

TYPED_TEST(OperatorContract, AVectorOfAnotherSizeIsNamed) {
    using V = TypeParam;
    const auto csr = convert_values<V>(matrix_of(20, 30, {{0, 0}, {19, 29}}));
    this->for_each_operator(csr, [&](const Operator<V>& a) {
        const auto message = [&](index_t x_size, index_t y_size) -> std::string {
            auto y = this->vector_of(y_size, V(7));
            try {
                a.apply(V(0), this->vector_of(x_size, V(1)), V(0), y);
                return "accepted";
            } catch (const Error& error) {
                EXPECT_EQ(y, this->vector_of(y_size, V(7)));
                return error.what();
            }
        };
        const std::string name(a.name());
        EXPECT_EQ(message(29, 20), name + ": x has 29 values, expected 30, the columns of the matrix");
        EXPECT_EQ(message(31, 20), name + ": x has 31 values, expected 30, the columns of the matrix");
        EXPECT_EQ(message(30, 19), name + ": y has 19 values, expected 20, the rows of the matrix");
        EXPECT_EQ(message(30, 21), name + ": y has 21 values, expected 20, the rows of the matrix");
        EXPECT_EQ(message(30, 20), "accepted");
    });
}

}  // namespace
}  // namespace tilespmv::testing
