// The parser of decimal numbers against the standard library, bit by bit.
#include <cmath>
#include <cstdlib>
#include <random>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "tests/tile/matrix_market/matrix_market_support.hpp"
#include "tile/matrix_market/number.hpp"

namespace tilespmv::matrix_market {
namespace {

template <class V>
class ParseReal : public ::testing::Test {
protected:
    using Bits = std::conditional_t<sizeof(V) == 8, std::uint64_t, std::uint32_t>;

    static V by_library(const char* text) {
        if constexpr (sizeof(V) == 8) return std::strtod(text, nullptr);
        return std::strtof(text, nullptr);
    }

    static void expect_as_library(const std::string& text) {
        const V expected = by_library(text.c_str());
        const std::string padded = text + std::string(64, '\0');
        const char* p = padded.data();
        V value = 0;
        const auto fault = parse_real(p, value);
        ASSERT_EQ(fault, std::isfinite(expected) ? NumberFault::none : NumberFault::overflow) << text;
        if (!std::isfinite(expected)) return;
        ASSERT_EQ(p, padded.data() + text.size()) << text;
        ASSERT_EQ(std::bit_cast<Bits>(value), std::bit_cast<Bits>(expected)) << text;
    }
};
using ValueTypes = ::testing::Types<double, float>;
TYPED_TEST_SUITE(ParseReal, ValueTypes);

TYPED_TEST(ParseReal, AnyMantissaAndExponent) {
    std::mt19937_64 random(1);
    for (int i = 0; i < 300000; ++i) {
        const std::uint64_t mantissa = random() >> random() % 64;
        this->expect_as_library(fmt::format("{}e{}", mantissa, static_cast<int>(random() % 80) - 40));
    }
}

TYPED_TEST(ParseReal, AnyNumberInAnyPrecision) {
    std::mt19937_64 random(2);
    for (int i = 0; i < 300000; ++i) {
        const double value = std::ldexp(static_cast<double>(random()), static_cast<int>(random() % 200) - 160);
        const int precision = static_cast<int>(random() % 25);
        this->expect_as_library(fmt::format("{:.{}g}", i % 2 ? value : -value, precision));
        if (value < 1e25) this->expect_as_library(fmt::format("{:.{}f}", value, precision));
    }
}

TYPED_TEST(ParseReal, MiddlesBetweenTwoNumbersAndTheirNeighbours) {
    std::mt19937_64 random(3);
    for (int i = 0; i < 20000; ++i) {
        const auto below = std::bit_cast<float>(static_cast<std::uint32_t>(random() % 0x3f000000u) + 0x20000000u);
        const double middle = (double{below} + double{std::nextafter(below, 2 * below)}) / 2;
        for (const double value : {std::nextafter(middle, 0.0), middle, std::nextafter(middle, 2 * middle)}) {
            for (const int precision : {17, 19, 30}) this->expect_as_library(fmt::format("{:.{}e}", value, precision));
        }
    }
    this->expect_as_library("9007199254740993");
    this->expect_as_library("9007199254740993.0000000000000000000000001");
    this->expect_as_library("7205759403792793e1");
    this->expect_as_library("18446744073709551615e27");
    this->expect_as_library("18446744073709551615e-27");
}

// The limits of the ways that numbers take: mantissas of 24, 53 and 64 bits, of 19 and 20 digits, powers of 22 and 27.
TYPED_TEST(ParseReal, TheLimitsOfEveryWay) {
    const std::vector<std::string> mantissas{"1",
                                             "3",
                                             "7",
                                             "9",
                                             "4000000000000",
                                             "16777215",
                                             "16777216",
                                             "16777217",
                                             "9007199254740991",
                                             "9007199254740992",
                                             "9007199254740993",
                                             "9007199254740995",
                                             "999999999999999999",
                                             "1000000000000000001",
                                             "9223372036854775807",
                                             "9999999999999999999",
                                             "10000000000000000000",
                                             "12345678901234567890",
                                             "18446744073709551615",
                                             "18446744073709551616",
                                             "18446744073709551617",
                                             "99999999999999999999",
                                             "0000000000000000003",
                                             "00000000000000000003",
                                             "0009007199254740993"};
    for (const auto& mantissa : mantissas) {
        for (int exponent = -70; exponent <= 70; ++exponent) {
            this->expect_as_library(fmt::format("{}e{}", mantissa, exponent));
            this->expect_as_library(fmt::format("-{}.{}E{:+}", mantissa.substr(0, 1), mantissa.substr(1), exponent));
        }
        for (const int exponent : {-400, -345, -343, -330, -324, -310, -308, -290, 280, 290, 307, 308, 309, 400}) {
            this->expect_as_library(fmt::format("{}e{}", mantissa, exponent));
        }
    }
}

TYPED_TEST(ParseReal, AroundTheLargestAndTheSmallestFloats) {
    std::mt19937_64 random(4);
    const auto near = [&](double value, int exponent) {
        const auto mantissa = static_cast<std::uint64_t>(value * (1 + std::ldexp(random() % 1000 - 500.0, -12)));
        this->expect_as_library(fmt::format("{}e{}", mantissa, exponent));
    };
    for (int i = 0; i < 20000; ++i) {
        near(3.4028235e12, 26);
        near(3.4028235e17, 21);
        near(1e14, 24);
        near(1.17549435e9, -47);  // by way of the library
        near(1.17549435e-38 * 1e57, -57);
    }
    for (const auto* text : {"340282346638528859e21", "340282356779733661e21", "340282356779733662e21",
                             "3402823567797336616375e17", "3402823567797336616376e17", "4000000000000e26",
                             "99999999999999e24", "100000000000001e24", "1000000000000e-50", "9999999999999e-50"}) {
        this->expect_as_library(text);
    }
}

TYPED_TEST(ParseReal, ZerosAndExtremes) {
    for (const auto* text : {"0", "-0", "0.0e-999999", "-0e99999999999999999999", "4.9406564584124654e-324",
                             "2.2250738585072011e-308", "1.7976931348623157e308", "1.401298464324817e-45",
                             "3.4028234663852886e38", "0000000000000000000000000.00000000000000000000000001"}) {
        this->expect_as_library(text);
    }
}

NumberFault fault_of(std::string text) {
    text += std::string(64, '\0');
    const char* p = text.data();
    double value = 0;
    return parse_real(p, value);
}

TEST(ParseRealFaults, OverflowIsAFaultAndUnderflowIsNot) {
    for (const auto* text :
         {"1e999", "-1e309", "1.8e308", "123456789e99999999999999999999999", "1e18446744073709551617"}) {
        EXPECT_EQ(fault_of(text), NumberFault::overflow) << text;
    }
    for (const auto* text : {"1e-999", "-1e-400", "0.0000001e-320", "1e-99999999999999999999999"}) {
        EXPECT_EQ(fault_of(text), NumberFault::none) << text;
    }
    EXPECT_EQ(fault_of("0." + std::string(400, '0') + "1"), NumberFault::none);  // zeros in front make nothing large
    for (const auto* text : {"", "-", "+", ".", "e5", "1e", "1e+", "--1", "+-1", "x", "nanx", "infinite"}) {
        EXPECT_EQ(fault_of(text), NumberFault::malformed) << text;
    }
}

TEST(ParseRealFaults, ZerosBehindThePointMakeNothingLargeEither) {
    const std::string zeros(400, '0');
    for (const std::string& tiny : {"0." + zeros + "1e50", "." + zeros + "1E+70", "000." + zeros + "1d20"}) {
        EXPECT_EQ(fault_of(tiny), NumberFault::none) << tiny;
    }
    EXPECT_EQ(fault_of("0." + zeros + "1e800"), NumberFault::overflow);
}

TEST(ParseRealFaults, ExponentsOfFortranAreThoseOfC) {
    const auto value_of = [](std::string text) {
        text += std::string(64, '\0');
        const char* p = text.data();
        double value = 0;
        EXPECT_EQ(parse_real(p, value), NumberFault::none) << text.c_str();
        EXPECT_EQ(*p, '\0') << text.c_str();
        return value;
    };
    for (const std::string mantissa : {"1", "-1.5", "12345678901234567890", "+1.00000000000000000000001", ".1"}) {
        for (const std::string power : {"5", "-3", "+30", "-300"}) {
            const double value = std::strtod((mantissa + "e" + power).c_str(), nullptr);
            for (const char letter : {'e', 'E', 'd', 'D'}) EXPECT_EQ(value_of(mantissa + letter + power), value);
        }
    }
}

/// A number that parses to V as a word of its own.
template <Value V>
NumberFault parse(bool integer, std::string text, V& value) {
    text += std::string(64, '\0');
    const char* p = text.data();
    const auto fault = integer ? parse_integer(p, value) : parse_real(p, value);
    const bool is_read = fault == NumberFault::none || fault == NumberFault::rounded;
    if (!is_read) return fault;
    return *p == '\0' ? NumberFault::none : NumberFault::malformed;
}

TEST(ParseInteger, LongOnesTakeNoPointAndNoExponentEither) {
    for (const std::string digits : {"1", "1234567890123456789", "12345678901234567890", "18446744073709551617",
                                     "99999999999999999999", "1234567890123456789012345"}) {
        for (const auto* rest : {".5", ".", "e1", "E-3", "d2", "x", ".5e1", "nan"}) {
            double value = 0;
            Half half{};
            EXPECT_EQ(parse(true, digits + rest, value), NumberFault::malformed) << digits << rest;
            EXPECT_EQ(parse(true, "-" + digits + rest, value), NumberFault::malformed) << digits << rest;
            EXPECT_EQ(parse(true, std::string("1") + rest, half), NumberFault::malformed) << rest;
        }
        double value = 0;
        EXPECT_EQ(parse(true, "-" + digits, value), NumberFault::none);
        EXPECT_EQ(value, -std::strtod(digits.c_str(), nullptr));
        float narrow = 0;
        EXPECT_EQ(parse(true, "+" + digits, narrow), NumberFault::none);
        EXPECT_EQ(narrow, std::strtof(digits.c_str(), nullptr));
    }
    double value = 0;
    for (const auto* text : {"inf", "nan", "-inf", "", "-", "+-1"})
        EXPECT_EQ(parse(true, text, value), NumberFault::malformed);
    EXPECT_EQ(parse(true, std::string(400, '9'), value), NumberFault::overflow);
}

template <class V>
class Parse16 : public ::testing::Test {
protected:
    static constexpr int kInfinity = std::numeric_limits<V>::infinity().bits();

    static void expect(const std::string& text, int bits) {
        for (const bool integer : {false, true}) {
            if (integer && text.find_first_of(".e") != std::string::npos) continue;
            for (const bool negative : {false, true}) {
                V value{};
                const auto fault = parse(integer, (negative ? "-" : "") + text, value);
                ASSERT_EQ(fault, bits == kInfinity ? NumberFault::overflow : NumberFault::none) << text;
                ASSERT_EQ(value.bits(), bits | (negative ? 0x8000 : 0)) << text;
            }
        }
    }

    /// The number in the middle between two neighbours, exactly, and others that are nearer to it than any double.
    static void expect_around_middle(int below) {
        const double low = static_cast<double>(V::from_bits(static_cast<std::uint16_t>(below)));
        const double high = below + 1 == kInfinity
                                ? 2 * low - static_cast<double>(V::from_bits(static_cast<std::uint16_t>(below - 1)))
                                : static_cast<double>(V::from_bits(static_cast<std::uint16_t>(below + 1)));
        std::string middle = fmt::format("{:.{}f}", (low + high) / 2, 140);
        const auto last = middle.find_last_not_of('0');
        const bool whole = middle[last] == '.';
        middle.resize(whole ? last : last + 1);
        expect(middle, below + below % 2);
        expect(middle + (whole ? "." : "") + std::string(25, '0') + "1", below + 1);
        expect(middle + (whole ? ".0e0" : "0e0"), below + below % 2);
        if (middle.back() == '0') return;  // of a whole number: borrowing is not worth it
        --middle.back();
        expect(middle + (whole ? "." : "") + std::string(40, '9'), below);
    }
};
using Types16 = ::testing::Types<Half, Bfloat16>;
TYPED_TEST_SUITE(Parse16, Types16);

TYPED_TEST(Parse16, RoundsOnceAroundEveryKindOfMiddle) {
    for (int below = 0; below < this->kInfinity; below += below < 40 ? 1 : 23) this->expect_around_middle(below);
    for (int below = this->kInfinity - 40; below < this->kInfinity; ++below) this->expect_around_middle(below);
}

TYPED_TEST(Parse16, LongIntegersAreRoundedOnce) {
    if constexpr (std::is_same_v<TypeParam, Bfloat16>) {
        const auto bits = Bfloat16(0x1p62).bits();
        this->expect("4629700416936869888", bits);      // 2^62 + 2^54, a tie
        this->expect("4629700416936869889", bits + 1);  // which is that tie as a double
        this->expect("4629700416936869887", bits);
        this->expect("0004629700416936869889", bits + 1);
    } else {
        this->expect("2049", Half(2048).bits());
        this->expect("65519", Half(65504).bits());
        this->expect("65520", this->kInfinity);
    }
}

}  // namespace
}  // namespace tilespmv::matrix_market
