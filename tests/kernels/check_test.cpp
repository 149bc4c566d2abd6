#include "kernels/check.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "tests/support/battery.hpp"
#include "tests/support/message_of.hpp"
#include "tile/generate/generate.hpp"

namespace tilespmv::testing {
namespace {

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
constexpr double kInf = std::numeric_limits<double>::infinity();

class Check : public ::testing::Test {
protected:
    Check() : a_(generate<double>("fem:n=6,dof=3")), x_(static_cast<std::size_t>(a_.cols)) {
        for (std::size_t i = 0; i < x_.size(); ++i) x_[i] = std::cos(static_cast<double>(i));
        expected_ = expected_product<double>(a_, 1, x_, 0, {});
        y_ = oracle();
    }

    [[nodiscard]] std::vector<double> oracle() const {
        std::vector<double> values;
        for (const auto& row : expected_.rows) values.push_back(row.value);
        return values;
    }

    [[nodiscard]] CheckResult check() const { return check_product<double>(expected_, y_); }
    void expect_caught_at(index_t row) {
        const auto result = check();
        EXPECT_FALSE(result.ok);
        EXPECT_EQ(result.row, row);
        EXPECT_NE(result.message().find(std::to_string(row)), std::string::npos) << result.message();
    }

    CsrMatrix<double> a_;
    std::vector<double> x_;
    ExpectedProduct expected_;
    std::vector<double> y_;
};

TEST_F(Check, AcceptsTheOracleAndRoundingErrors) {
    EXPECT_TRUE(check().ok);
    for (double& v : y_) v = std::nextafter(v, kInf);
    EXPECT_TRUE(check().ok);
}

TEST_F(Check, NamesTheFirstOfRowsThatAreEquallyWrong) {
    y_[30] = y_[31] = y_[200] = kNaN;
    expect_caught_at(30);
    y_ = oracle();
    const auto right = check();
    EXPECT_EQ(right.row, 0) << "none is wrong";
    EXPECT_EQ(right.expected, y_[0]);
    EXPECT_EQ(right.found, y_[0]);
}

TEST_F(Check, CatchesOneWrongRow) {
    const auto missing = a_.values[a_.row_ptrs[55]] * x_[static_cast<std::size_t>(a_.col_idxs[a_.row_ptrs[55]])];
    for (const auto& [row, value] :
         {std::pair{100, y_[100] * (1 + 1e-10)}, {17, 0.0}, {a_.rows - 1, kNaN}, {3, -kInf}, {55, y_[55] - missing}}) {
        y_ = oracle();
        y_[static_cast<std::size_t>(row)] = value;
        expect_caught_at(row);
    }
}

TEST_F(Check, CatchesSwappedRows) {
    std::swap(y_[40], y_[200]);
    EXPECT_FALSE(check().ok);
}

TEST_F(Check, RefusesAnotherNumberOfRows) {
    const std::size_t rows = y_.size();
    y_.pop_back();
    const auto message = [](auto&& f) { return test::error_of(f); };
    EXPECT_EQ(message([&] { (void)check(); }), fmt::format("check: y has {} values, expected {}", rows - 1, rows));
    const auto sizes = fmt::format("values for a matrix of {} x {}", a_.rows, a_.cols);
    EXPECT_EQ(message([&] { (void)expected_product<double>(a_, 1, x_, 0.5, y_); }),
              fmt::format("check: x has {} and y {} {}", x_.size(), rows - 1, sizes));
    EXPECT_EQ(message([&] { (void)expected_product<double>(a_, 1, x_, 0, y_); }), "no error");
    x_.push_back(0);
    EXPECT_EQ(message([&] { (void)expected_product<double>(a_, 1, x_, 0, {}); }),
              fmt::format("check: x has {} and y 0 {}", x_.size(), sizes));
}

TEST_F(Check, WantsNaNAndInfinityWhereTheOracleHasThem) {
    x_[0] = kInf;
    expected_ = expected_product<double>(a_, 1, x_, 0, {});
    y_ = oracle();
    EXPECT_TRUE(check().ok);
    ASSERT_TRUE(std::isinf(y_[0]) || std::isnan(y_[0]));
    y_[0] = 1;
    expect_caught_at(0);
}

TEST(Oracle, IsExactWhereDoubleIsNot) {
    auto a = matrix_of(1, 3, {{0, 0}, {0, 1}, {0, 2}});
    a.values[0] = 1e16;
    a.values[1] = 1;
    a.values[2] = -1e16;
    const std::vector<double> x(3, 1.0);
    EXPECT_EQ(expected_product<double>(a, 1, x, 0, {}).rows[0].value, 1.0);
}

TEST(Oracle, HasTheAddendOfEachColumn) {
    const CsrMatrix<double> a{.rows = 2, .cols = 1, .row_ptrs = {0, 1, 2}, .col_idxs = {0, 0}, .values = {1, 2}};
    const std::vector<double> x{10, 100}, y{2, 4, 6, 8};
    for (const Layout layout : {Layout::column_major, Layout::row_major}) {
        const bool is_by_rows = layout == Layout::row_major;
        const Block<const double> to(y.data(), 2, 2, 2, layout, Memory::host);
        const Block<const double> from(x.data(), 1, 2, is_by_rows ? 2 : 1, layout, Memory::host);
        const auto expected = expected_product<double>(a, 3, from, 0.5, to);
        EXPECT_EQ(expected.rows[0].value, 31);
        EXPECT_EQ(expected.rows[1].value, 60 + (is_by_rows ? 3 : 2));
        EXPECT_EQ(expected.rows[2].value, 300 + (is_by_rows ? 2 : 3));
        EXPECT_EQ(expected.rows[3].value, 604);
    }
}

TEST(Oracle, OverflowsToInfinityInAProductAndInASum) {
    const CsrMatrix<double> a{2, 3, {0, 2, 5}, {0, 1, 0, 1, 2}, {-1e200, 1, 1e108, 1e308, -1}};
    const std::vector<double> x{1e200, 1, 1};
    const auto expected = expected_product<double>(a, 1, x, 0, {});
    EXPECT_EQ(expected.rows[0].value, -kInf);
    EXPECT_EQ(expected.rows[1].value, kInf);
    EXPECT_EQ(expected.rows[0].magnitude, kInf);
    EXPECT_EQ(expected.rows[1].magnitude, kInf);
}

/// A row of sum `value` whose terms have the sum of magnitudes `magnitude`.
cpu::ReferenceRow row_of(double value, double magnitude, offset_t nnz = 1) { return {value, magnitude, 0, nnz}; }

TEST(ErrorBound, FollowsTheAccumulatorAndTheValues) {
    const auto row = row_of(1, 1, 7);
    const double in_double = 2 * 0x1p-53 * 10;
    const double in_float = 2 * 0x1p-24 * 10;
    constexpr double higher_orders = 1e-3;
    const auto expect = [&](double found, double first_order) {
        EXPECT_NEAR(found, first_order, higher_orders * first_order);
    };
    expect(error_bound<double>(row, 1, Accumulator::float64), in_double);
    expect(error_bound<float>(row, 1, Accumulator::float64), in_double + 0x1p-24);
    expect(error_bound<float>(row, 1, Accumulator::float32), in_float);
    expect(error_bound<Half>(row, 1, Accumulator::float32), in_float + 0x1p-11);
    expect(error_bound<Bfloat16>(row, 1, Accumulator::float32), in_float + 0x1p-8);
    expect(error_bound<double>(row, -3, Accumulator::float64), 3 * in_double);
}

TEST(ErrorBound, NearZeroIsHalfASubnormalStep) {
    const auto nothing = row_of(0x1p-26, 0x1p-26);
    EXPECT_NEAR(error_bound<Half>(nothing, 1, Accumulator::float32), 0x1p-25, 0x1p-33);
    EXPECT_LT(error_bound<float>(nothing, 1, Accumulator::float64), 0x1p-49);
}

TEST(ErrorBound, IsInfiniteWhereSumsMayOverflow) {
    EXPECT_EQ(error_bound<Bfloat16>(row_of(1, 4e38, 2), 1, Accumulator::float32), kInf);
    EXPECT_EQ(error_bound<float>(row_of(1, 1e38, 2), 5, Accumulator::float32), kInf);
    EXPECT_EQ(error_bound<float>(row_of(1, 4e38, 2), 0.25, Accumulator::float32), kInf);  // the sum is scaled last
    EXPECT_LT(error_bound<float>(row_of(1, 4e38, 2), 1, Accumulator::float64), kInf);
    EXPECT_EQ(error_bound<double>(row_of(1, kInf, 2), 1, Accumulator::float64), kInf);
    EXPECT_EQ(error_bound<float>({1, 2e38, 2e38, 2}, 1, Accumulator::float32), kInf) << "with beta * y";
    EXPECT_EQ(error_bound<float>({1, 0, 4e38, 0}, 1, Accumulator::float32), kInf);
}

TEST(ErrorBound, HasRoundingErrorsOfTheAddendToo) {
    EXPECT_NEAR(error_bound<double>({8, 0, 8, 0}, 1, Accumulator::float64), 2 * 0x1p-53 * 3 * 8, 0x1p-60);
    EXPECT_NEAR(error_bound<double>({9, 1, 8, 7}, 1, Accumulator::float64), 2 * 0x1p-53 * (10 + 3 * 8), 0x1p-60);
}

/// The check of one row of values of V, summed up in float.
template <class V>
bool right(const cpu::ReferenceRow& row, V found) {
    ExpectedProduct expected{Buffer<cpu::ReferenceRow>(1), 1};
    expected.rows[0] = row;
    return check_product<V>(expected, std::span<const V>(&found, 1), Accumulator::float32).ok;
}

TEST(CheckOfHalf, TakesOneRoundingAndNoMore) {
    const double sum = 1 + 0x1p-11;  // between 1 and the next number
    EXPECT_TRUE(right(row_of(sum, sum), Half(1)));
    EXPECT_TRUE(right(row_of(sum, sum), Half(1 + 0x1p-10)));
    EXPECT_FALSE(right(row_of(sum, sum), Half(1 - 0x1p-11)));
    EXPECT_FALSE(right(row_of(sum, sum), Half(1 + 0x1p-9)));
}

TEST(CheckOfHalf, WantsInfinityWhereTheResultRoundsToIt) {
    const Half inf = std::numeric_limits<Half>::infinity();
    EXPECT_TRUE(right(row_of(1e6, 1e6), inf));
    EXPECT_FALSE(right(row_of(1e6, 1e6), -inf));
    EXPECT_FALSE(right(row_of(1e6, 1e6), Half(65504)));
    EXPECT_TRUE(right(row_of(65519.999, 65519.999), inf)) << "an error within the bound rounds to Inf";
    EXPECT_TRUE(right(row_of(-65519.999, 65519.999), -inf)) << "and to -Inf";
    EXPECT_FALSE(right(row_of(-65519.999, 65519.999), inf));
    EXPECT_TRUE(right(row_of(65519.999, 65519.999), Half(65504)));
    EXPECT_FALSE(right(row_of(60000, 60000), inf));
}

TEST(CheckOfHalf, TakesHalfAStepNearZero) {
    EXPECT_TRUE(right(row_of(0x1p-26, 0x1p-26), Half(0)));
    EXPECT_TRUE(right(row_of(0x1.8p-25, 0x1.8p-25), Half(0x1p-24)));
    EXPECT_FALSE(right(row_of(0x1p-26, 0x1p-26), Half(0x1p-24)));
    EXPECT_FALSE(right(row_of(0x1p-26, 0x1p-26), std::numeric_limits<Half>::quiet_NaN()));
}

TEST(CheckOfBfloat16, TakesOneRoundingAndNoMore) {
    const double sum = 1 + 0x1p-8;
    EXPECT_TRUE(right(row_of(sum, sum), Bfloat16(1)));
    EXPECT_TRUE(right(row_of(sum, sum), Bfloat16(1 + 0x1p-7)));
    EXPECT_FALSE(right(row_of(sum, sum), Bfloat16(1 - 0x1p-8)));
    EXPECT_FALSE(right(row_of(sum, sum), Bfloat16(1 + 0x1p-6)));
}

}  // namespace
}  // namespace tilespmv::testing
