#include "kernels/check.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "tests/support/battery.hpp"
#include "tile/error.hpp"
#include "tile/generate.hpp"

namespace tilespmv::testing {
namespace {

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
constexpr double kInf = std::numeric_limits<double>::infinity();

class Check : public ::testing::Test {
protected:
    Check() : a_(generate<double>("fem:n=6,dof=3")), x_(static_cast<std::size_t>(a_.cols)) {
        for (std::size_t i = 0; i < x_.size(); ++i) x_[i] = std::cos(static_cast<double>(i));
        expected_ = expected_product<double>(a_, 1, x_, 0, {});
        y_.assign(expected_.values.begin(), expected_.values.end());
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

TEST_F(Check, CatchesASmallRelativeError) {
    y_[100] *= 1 + 1e-10;
    expect_caught_at(100);
}

TEST_F(Check, CatchesADroppedRow) {
    y_[17] = 0;
    expect_caught_at(17);
}

TEST_F(Check, CatchesAnUnwrittenRow) {
    y_.back() = kNaN;
    expect_caught_at(a_.rows - 1);
}

TEST_F(Check, CatchesInfinity) {
    y_[3] = -kInf;
    expect_caught_at(3);
}

TEST_F(Check, CatchesSwappedRows) {
    std::swap(y_[40], y_[200]);
    EXPECT_FALSE(check().ok);
}

TEST_F(Check, CatchesAMissingNonzero) {
    y_[55] -= a_.values[a_.row_ptrs[55]] * x_[static_cast<std::size_t>(a_.col_idxs[a_.row_ptrs[55]])];
    expect_caught_at(55);
}

TEST_F(Check, RefusesAnotherNumberOfRows) {
    y_.pop_back();
    EXPECT_THROW((void)check(), Error);
}

TEST_F(Check, WantsNaNAndInfinityWhereTheOracleHasThem) {
    x_[0] = kInf;
    expected_ = expected_product<double>(a_, 1, x_, 0, {});
    y_.assign(expected_.values.begin(), expected_.values.end());
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
    EXPECT_EQ(expected_product<double>(a, 1, x, 0, {}).values[0], 1.0);
}

}  // namespace
}  // namespace tilespmv::testing
