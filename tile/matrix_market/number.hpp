#pragma once

#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>

#include "tile/types.hpp"

/// Words, digits and numbers of a text that is followed by at least 8 readable zero bytes.
namespace tilespmv::matrix_market {

inline bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\r'; }
inline bool ends_word(char c) { return is_blank(c) || c == '\n' || c == '\0'; }

inline const char* skip_blanks(const char* p) {
    while (is_blank(*p)) ++p;
    return p;
}

/// Moves `p` from the end of a word to the next word or the end of the line; false if the word goes on.
inline bool next_word(const char*& p) {
    if (p[0] == ' ' && p[1] > ' ') [[likely]] {
        ++p;
        return true;
    }
    if (!ends_word(*p)) return false;
    p = skip_blanks(p);
    return true;
}

namespace detail {

inline constexpr std::array<std::uint64_t, 9> kPowersOfTen = {1,      10,      100,      1000,     10000,
                                                              100000, 1000000, 10000000, 100000000};

/// Eight characters with digits turned into 0 to 9, the first in the lowest byte.
inline std::uint64_t load_digits(const char* p) {
    static_assert(std::endian::native == std::endian::little, "digits are read eight at a time, lowest byte first");
    std::uint64_t chars = 0;
    std::memcpy(&chars, p, sizeof chars);
    return chars ^ 0x3030303030303030u;
}

/// How many of the eight are digits, up to the first that is not.
inline int leading_digits(std::uint64_t digits) {
    const std::uint64_t others = (digits | (digits + 0x7676767676767676u)) & 0x8080808080808080u;
    return std::countr_zero(others) / 8;
}

/// The number that eight digits spell: neighbours are joined to pairs, fours, and eight.
inline std::uint64_t join_digits(std::uint64_t digits) {
    digits = digits * 10 + (digits >> 8);
    constexpr std::uint64_t pairs = 0x000000ff000000ffu;
    return ((digits & pairs) * 0x000f424000000064u + ((digits >> 16) & pairs) * 0x0000271000000001u) >> 32;
}

}  // namespace detail

/// Appends the digits at `p` to `value` (modulo 2^64) and returns where they end.
inline const char* append_digits(const char* p, std::uint64_t& value) {
    for (;;) {
        const auto digits = detail::load_digits(p);
        const int count = detail::leading_digits(digits);
        if (count == 0) return p;
        value = value * detail::kPowersOfTen[count] + detail::join_digits(digits << (64 - 8 * count));
        p += count;
        if (count < 8) return p;
    }
}

/// As `append_digits`, with `guess` digits expected: where the guess holds, the processor goes on with the next word
/// before it has counted the digits of this one. The last count becomes the guess.
inline const char* append_digits(const char* p, std::uint64_t& value, int& guess) {
    const auto digits = detail::load_digits(p);
    const int count = detail::leading_digits(digits);
    if (count == 0 || count == 8) return append_digits(p, value);
    value = detail::join_digits(digits << (64 - 8 * count));
    int expected = guess;
    asm("" : "+r"(expected));  // hides from the compiler that guess and count are equal behind the branch
    if (count != expected) [[unlikely]] {
        guess = count;
        asm volatile("");  // keeps the branch a branch
    }
    return p + guess;
}

/// A decimal number as it is written.
struct Decimal {
    bool negative = false;
    std::uint64_t mantissa = 0;  ///< all digits, modulo 2^64
    std::int64_t digits = 0;     ///< how many, zeros in front included
    std::int64_t exponent = 0;   ///< of ten, the digits behind the point taken in
};

/// Splits `[+-]digits[.digits][(e|E|d|D)[+-]digits]`; false if `p` does not start with that. Moves `p` to its end.
inline bool scan_decimal(const char*& p, Decimal& decimal) {
    decimal.negative = *p == '-';
    if (*p == '-' || *p == '+') ++p;
    const char* first = p;
    p = append_digits(p, decimal.mantissa);
    decimal.digits = p - first;
    if (*p == '.') {
        first = ++p;
        p = append_digits(p, decimal.mantissa);
        decimal.digits += p - first;
        decimal.exponent = first - p;
    }
    if (decimal.digits == 0) return false;
    const char letter = static_cast<char>(*p | 0x20);
    if (letter != 'e' && letter != 'd') return true;
    const bool negative = p[1] == '-';
    first = p + 1 + (negative || p[1] == '+');
    std::uint64_t power = 0;
    p = append_digits(first, power);
    constexpr std::uint64_t beyond_every_type = 100000000000000000;
    power = p - first > 18 || power > beyond_every_type ? beyond_every_type : power;
    decimal.exponent += negative ? -static_cast<std::int64_t>(power) : static_cast<std::int64_t>(power);
    return p != first;
}

namespace detail {

inline constexpr auto kPowersOfFive = [] {
    std::array<std::uint64_t, 28> powers{1};
    for (std::size_t i = 1; i < powers.size(); ++i) powers[i] = 5 * powers[i - 1];
    return powers;
}();

__extension__ using uint128 = unsigned __int128;

/// 2^exponent, exact.
inline double power_of_two(int exponent) {
    return std::bit_cast<double>(static_cast<std::uint64_t>(exponent + 1023) << 52);
}

/// mantissa * 10^exponent for |exponent| <= 27, correctly rounded: the exact product or quotient with 5^|exponent| is
/// cut to 64 bits, and the last bit says whether something was cut off, so that one rounding to 53 bits remains.
inline double scale_by_power(std::uint64_t mantissa, int exponent) {
    if (mantissa == 0) return 0;
    const int shift = std::countl_zero(mantissa);
    const uint128 left = static_cast<uint128>(mantissa << shift) << 63;
    const std::uint64_t power = kPowersOfFive[exponent < 0 ? -exponent : exponent];
    const int power_shift = std::countl_zero(power);
    const std::uint64_t right = power << power_shift;
    if (exponent < 0) {
        const auto quotient = static_cast<std::uint64_t>(left / right);
        const bool rest = static_cast<std::uint64_t>(left) != quotient * right;
        return static_cast<double>(quotient | rest) * power_of_two(exponent - 63 - shift + power_shift);
    }
    const uint128 product = static_cast<uint128>(mantissa << shift) * right;
    const auto high = static_cast<std::uint64_t>(product >> 64);
    const bool rest = static_cast<std::uint64_t>(product) != 0;
    return static_cast<double>(high | rest) * power_of_two(exponent + 64 - shift - power_shift);
}

/// The number that decimal mantissa and exponent stand for, correctly rounded; false if they are too large for that.
inline bool to_double(std::uint64_t mantissa, std::int64_t exponent, double& value) {
    constexpr std::array<double, 23> powers = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,  1e8,  1e9,  1e10, 1e11,
                                               1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};
    const std::int64_t size = exponent < 0 ? -exponent : exponent;
    if (mantissa <= std::uint64_t{1} << 53 && size <= 22) {  // both operands are exact
        const auto m = static_cast<double>(mantissa);
        value = exponent < 0 ? m / powers[size] : m * powers[size];
        return true;
    }
    if (size >= static_cast<std::int64_t>(kPowersOfFive.size())) return false;
    value = scale_by_power(mantissa, static_cast<int>(exponent));
    return true;
}

/// Rounds a correctly rounded double once more, if that cannot differ from rounding the decimal number itself.
inline bool narrow(double from, double& to) {
    to = from;
    return true;
}
inline bool narrow(double from, float& to) {
    const bool tie = (std::bit_cast<std::uint64_t>(from) & 0x1fffffffu) == 0x10000000u;
    to = static_cast<float>(from);
    return from < 1e38 && !tie;  // nothing from `to_double` is small enough to be subnormal
}

}  // namespace detail

/// How a number was read; `rounded` is said of integers only, which people expect to be kept.
enum class NumberFault { none, rounded, malformed, overflow };

/// Any number by way of the standard library: long mantissas, large exponents, nan and inf. As `parse_real`.
template <std::floating_point V>
NumberFault parse_rare_real(const char*& p, V& value);

/// Parses the number at `p`, correctly rounded, and moves `p` behind it. Numbers too small for V become 0 as in C.
template <std::floating_point V>
inline NumberFault parse_real(const char*& p, V& value) {
    Decimal decimal;
    const char* end = p;
    double exact = 0;
    if (!scan_decimal(end, decimal) || decimal.digits > 19 ||
        !detail::to_double(decimal.mantissa, decimal.exponent, exact) || !detail::narrow(exact, value)) {
        return parse_rare_real(p, value);
    }
    if (decimal.negative) value = -value;
    p = end;
    return NumberFault::none;
}

/// Rounds the number written at `p` to 16 bits, once, where `nearest` is the double nearest to it.
template <int kExponentBits>
Float16<kExponentBits> narrow_rare(const char* p, double nearest);

/// As above for the types of 16 bits.
template <int kExponentBits>
inline NumberFault parse_real(const char*& p, Float16<kExponentBits>& value) {
    const char* first = p;
    double wide = 0;
    if (const auto fault = parse_real(p, wide); fault != NumberFault::none) return fault;
    // Only where the double ends in zeros can it lie in the middle between two numbers of 16 bits.
    const bool may_be_middle = (std::bit_cast<std::uint64_t>(wide) & 0xffffffffu) == 0;
    value = may_be_middle ? narrow_rare<kExponentBits>(first, wide) : Float16<kExponentBits>(wide);
    return std::isfinite(wide) && !std::isfinite(widened(value)) ? NumberFault::overflow : NumberFault::none;
}

/// Whether `value`, which is finite, is the decimal number at `p`, digit by digit.
bool is_exact(const char* p, double value);

/// Parses `[+-]digits` as `parse_real` does, and says whether V has another number for it only.
template <Value V>
inline NumberFault parse_integer(const char*& p, V& value) {
    constexpr std::uint64_t all_exact = std::uint64_t{1} << std::numeric_limits<V>::digits;
    const char* first = p + (*p == '-' || *p == '+');
    std::uint64_t magnitude = 0;
    const char* end = append_digits(first, magnitude);
    if (end == first) return NumberFault::malformed;
    const char* start = p;
    const bool is_short = end - first <= 19;
    if constexpr (std::floating_point<V>) {
        if (is_short) {
            value = *p == '-' ? -static_cast<V>(magnitude) : static_cast<V>(magnitude);
            p = end;
        }
    }
    const auto fault = p == end ? NumberFault::none : parse_real(p, value);
    if (fault == NumberFault::overflow) return fault;
    if (p != end) {  // a point or an exponent follows
        p = start;
        return NumberFault::malformed;
    }
    if (is_short && magnitude <= all_exact) [[likely]]
        return NumberFault::none;
    return is_exact(start, static_cast<double>(widened(value))) ? NumberFault::none : NumberFault::rounded;
}

}  // namespace tilespmv::matrix_market
