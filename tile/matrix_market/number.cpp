#include "tile/matrix_market/number.hpp"

#include <algorithm>
#include <charconv>
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

template NumberFault parse_rare_real(const char*&, double&);
template NumberFault parse_rare_real(const char*&, float&);

}  // namespace tilespmv::matrix_market
