#pragma once

#include <array>
#include <bit>
#include <cstdint>
#include <cstring>

/// Words and digits of a text that is followed by at least 8 readable zero bytes.
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

}  // namespace tilespmv::matrix_market
