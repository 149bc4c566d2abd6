#include "tile/matrix_market/number.hpp"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <compare>
#include <string>
#include <system_error>

namespace tilespmv::matrix_market {
namespace {

const char* word_end(const char* p) {
    while (!ends_word(*p)) ++p;
    return p;
}

bool has_fortran_exponent(const char* first, const char* last) {
    return std::any_of(first, last, [](char c) { return c == 'd' || c == 'D'; });
}

/// Whether a number outside the range of its type is too large rather than too small.
bool is_large(const char* first, const Decimal& decimal) {
    std::int64_t zeros = 0;
    for (; *first == '0' || *first == '.'; ++first) zeros += *first == '0';
    return decimal.digits - zeros + decimal.exponent > 0;
}

/// The magnitude 0.DIGITS * 10^power, without zeros in front and at the end of the digits.
struct Magnitude {
    std::int64_t power = 0;
    std::string digits{};
    auto operator<=>(const Magnitude&) const = default;
};

/// That of the decimal number at `p`, which is not 0, with all of its digits.
Magnitude magnitude(const char* p) {
    Decimal decimal;
    const char* end = p;
    scan_decimal(end, decimal);
    std::string digits;
    for (; p < end && std::isalpha(static_cast<unsigned char>(*p)) == 0; ++p) {
        if (std::isdigit(static_cast<unsigned char>(*p)) != 0) digits += *p;
    }
    const auto zeros = digits.find_first_not_of('0');
    const auto last = digits.find_last_not_of('0');
    return {decimal.digits - static_cast<std::int64_t>(zeros) + decimal.exponent,
            digits.substr(zeros, last + 1 - zeros)};
}

Magnitude magnitude(double value) {
    constexpr int enough_for_any_double = 766;
    std::array<char, 800> text{};  // zero bytes follow the number, as `scan_decimal` wants them
    std::to_chars(text.begin(), text.end() - 16, value, std::chars_format::scientific, enough_for_any_double);
    return magnitude(text.data());
}

}  // namespace

template <std::floating_point V>
NumberFault parse_rare_real(const char*& p, V& value) {
    Decimal decimal;
    const char* last = p;
    const bool is_decimal = scan_decimal(last, decimal);
    const char* first = p + (*p == '+');
    if (!is_decimal) last = word_end(first);
    if (first < last && first > p && *first == '-') return NumberFault::malformed;
    std::string in_c;
    if (is_decimal && has_fortran_exponent(first, last)) {
        in_c.assign(first, last);
        std::replace_if(
            in_c.begin(), in_c.end(), [](char c) { return c == 'd' || c == 'D'; }, 'e');
    }
    const char* from = in_c.empty() ? first : in_c.data();
    const char* to = from + (last - first);
    const auto [stop, error] = std::from_chars(from, to, value);
    if (error == std::errc::invalid_argument || stop != to) return NumberFault::malformed;
    if (error == std::errc::result_out_of_range) {
        if (is_large(first + (*first == '-'), decimal)) return NumberFault::overflow;
        value = decimal.negative ? -V{0} : V{0};
    }
    p = last;
    return NumberFault::none;
}

bool is_exact(const char* p, double value) { return value == 0 || magnitude(p) == magnitude(value); }

template NumberFault parse_rare_real(const char*&, double&);
template NumberFault parse_rare_real(const char*&, float&);

template <int kExponentBits>
Float16<kExponentBits> narrow_rare(const char* p, double nearest) {
    using Narrow = Float16<kExponentBits>;
    if (nearest == 0 || !std::isfinite(nearest)) return Narrow(nearest);
    const auto bits = std::bit_cast<std::uint64_t>(nearest);
    const Narrow below(std::bit_cast<double>(bits - 1));
    const Narrow above(std::bit_cast<double>(bits + 1));
    if (below.bits() == above.bits()) return below;
    const auto order = magnitude(p) <=> magnitude(nearest);
    return order < 0 ? below : order > 0 ? above : Narrow(nearest);
}

template Half narrow_rare(const char*, double);
template Bfloat16 narrow_rare(const char*, double);

}  // namespace tilespmv::matrix_market
