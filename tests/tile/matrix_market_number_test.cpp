// The parser of decimal numbers against the standard library, bit by bit.
#include <charconv>
#include <random>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "tests/tile/matrix_market_support.hpp"
#include "tile/matrix_market/number.hpp"

namespace tilespmv::matrix_market {
namespace {

template <class V>
class ParseReal : public ::testing::Test {
protected:
    using Bits = std::conditional_t<sizeof(V) == 8, std::uint64_t, std::uint32_t>;

    static void expect_as_library(const std::string& text) {
        V expected = 0;
        const auto [stop, error] = std::from_chars(text.data(), text.data() + text.size(), expected);
        if (error == std::errc::result_out_of_range) return;
        ASSERT_EQ(stop, text.data() + text.size()) << text;
        const std::string padded = text + std::string(64, '\0');
        const char* p = padded.data();
        V value = 0;
        ASSERT_EQ(parse_real(p, value), NumberFault::none) << text;
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
    for (const auto* text : {"1e999", "-1e309", "1.8e308", "123456789e99999999999999999999999"}) {
        EXPECT_EQ(fault_of(text), NumberFault::overflow) << text;
    }
    for (const auto* text : {"1e-999", "-1e-400", "0.0000001e-320", "1e-99999999999999999999999"}) {
        EXPECT_EQ(fault_of(text), NumberFault::none) << text;
    }
    for (const auto* text : {"", "-", "+", ".", "e5", "1e", "1e+", "--1", "+-1", "x", "nanx", "infinite"}) {
        EXPECT_EQ(fault_of(text), NumberFault::malformed) << text;
    }
}

}  // namespace
}  // namespace tilespmv::matrix_market
