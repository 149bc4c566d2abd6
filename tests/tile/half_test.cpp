// The types of 16 bits against Eigen's, every pattern and every rounding decision.
#include "tile/types.hpp"

#include <gtest/gtest.h>

#include <Eigen/Core>
#include <cmath>
#include <random>

namespace tilespmv {
namespace {

template <class V>
struct InEigen;
template <>
struct InEigen<Half> {
    using Type = Eigen::half;
    static Type make(std::uint16_t bits) { return Eigen::half_impl::raw_uint16_to_half(bits); }
};
template <>
struct InEigen<Bfloat16> {
    using Type = Eigen::bfloat16;
    static Type make(std::uint16_t bits) { return Eigen::bfloat16_impl::raw_uint16_to_bfloat16(bits); }
};

template <class V>
class Float16Test : public ::testing::Test {
protected:
    static constexpr int kPatterns = 0x10000;

    static V pattern(int bits) { return V::from_bits(static_cast<std::uint16_t>(bits)); }
    static void expect_rounds_to(double value, V expected) {
        ASSERT_EQ(V(value).bits(), expected.bits()) << value;
        ASSERT_EQ(V(-value).bits(), (-expected).bits()) << value;
    }
};
using Types = ::testing::Types<Half, Bfloat16>;
TYPED_TEST_SUITE(Float16Test, Types);

TYPED_TEST(Float16Test, EveryPatternWidensAsInEigenAndComesBack) {
    for (int bits = 0; bits < this->kPatterns; ++bits) {
        const auto number = this->pattern(bits);
        const auto wide = static_cast<float>(number);
        const auto expected = static_cast<float>(InEigen<TypeParam>::make(number.bits()));
        if (std::isnan(expected)) {
            ASSERT_TRUE(std::isnan(wide) && std::isnan(static_cast<double>(number))) << bits;
            ASSERT_TRUE(std::isnan(static_cast<float>(TypeParam(wide)))) << bits;
            ASSERT_EQ(std::signbit(wide), bits >= 0x8000) << bits;
            ASSERT_NE(std::bit_cast<std::uint32_t>(wide) & 0x00400000u, 0u) << "not quiet: " << bits;
            continue;
        }
        ASSERT_EQ(std::bit_cast<std::uint32_t>(wide), std::bit_cast<std::uint32_t>(expected)) << bits;
        ASSERT_EQ(static_cast<double>(number), double{expected}) << bits;
        ASSERT_EQ(TypeParam(wide).bits(), bits);
        ASSERT_EQ(TypeParam(double{wide}).bits(), bits);
        ASSERT_EQ((-number).bits(), bits ^ 0x8000);
    }
}

// Between two neighbours the middle goes to the even one and everything else to the nearer one, Inf being the neighbour
// of the largest number.
TYPED_TEST(Float16Test, RoundsToNearestEven) {
    const int infinity = std::numeric_limits<TypeParam>::infinity().bits();
    for (int bits = 0; bits < infinity; ++bits) {
        const auto low = this->pattern(bits);
        const auto high = this->pattern(bits + 1);
        const auto below = static_cast<double>(low);
        const double step = bits + 1 < infinity ? static_cast<double>(high) - below
                                                : below - static_cast<double>(this->pattern(bits - 1));
        const double middle = below + step / 2;
        this->expect_rounds_to(middle, bits % 2 == 0 ? low : high);
        this->expect_rounds_to(std::nextafter(middle, 0.0), low);
        this->expect_rounds_to(std::nextafter(middle, 2 * middle), high);
    }
}

TYPED_TEST(Float16Test, RoundsFloatsAsEigenDoes) {
    std::mt19937 random(1);
    for (int i = 0; i < 2000000; ++i) {
        const auto value = std::bit_cast<float>(static_cast<std::uint32_t>(random()));
        if (std::isnan(value)) continue;
        const typename InEigen<TypeParam>::Type expected(value);
        ASSERT_EQ(TypeParam(value).bits(), Eigen::numext::bit_cast<std::uint16_t>(expected)) << value;
    }
}

TYPED_TEST(Float16Test, ExtremesOfDouble) {
    using Limits = std::numeric_limits<double>;
    this->expect_rounds_to(Limits::max(), std::numeric_limits<TypeParam>::infinity());
    this->expect_rounds_to(Limits::infinity(), std::numeric_limits<TypeParam>::infinity());
    this->expect_rounds_to(Limits::min(), TypeParam(0));
    this->expect_rounds_to(Limits::denorm_min(), TypeParam(0));
    EXPECT_TRUE(std::isnan(static_cast<float>(TypeParam(Limits::quiet_NaN()))));
}

TYPED_TEST(Float16Test, LimitsAreThoseOfTheFormat) {
    using Limits = std::numeric_limits<TypeParam>;
    const auto value = [](TypeParam v) { return static_cast<double>(v); };
    EXPECT_EQ(value(Limits::epsilon()), std::ldexp(1.0, 1 - Limits::digits));
    EXPECT_EQ(value(Limits::max()), value(this->pattern(Limits::infinity().bits() - 1)));
    EXPECT_EQ(value(Limits::min()), std::ldexp(1.0, 1 - TypeParam::kBias));
    EXPECT_EQ(value(Limits::denorm_min()), std::ldexp(1.0, 2 - TypeParam::kBias - Limits::digits));
    EXPECT_TRUE(std::isnan(value(Limits::quiet_NaN())));
}

TYPED_TEST(Float16Test, ComparesNumbersAndNotPatterns) {
    EXPECT_EQ(TypeParam(0), -TypeParam(0));
    EXPECT_EQ(TypeParam(2.5F), TypeParam(2.5));
    EXPECT_NE(TypeParam(1), TypeParam(2));
    const auto nan = std::numeric_limits<TypeParam>::quiet_NaN();
    EXPECT_FALSE(nan == nan);
}

}  // namespace
}  // namespace tilespmv
