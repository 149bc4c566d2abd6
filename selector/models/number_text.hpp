#pragma once

#include <charconv>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

/// Long lists of numbers in a profile, as texts with one blank between two, which are shorter than arrays of JSON and
/// read several times as fast.
namespace tilespmv {

class NumberReader {
public:
    explicit NumberReader(std::string_view text) : at_(text.data()), end_(text.data() + text.size()) {}

    [[nodiscard]] bool is_at_end() const { return at_ == end_; }
    /// Whether there was one.
    template <class T>
    bool next(T& number) {
        if (!is_first_ && (is_at_end() || *at_++ != ' ')) return false;
        is_first_ = false;
        const auto [end, error] = std::from_chars(at_, end_, number);
        at_ = end;
        return error == std::errc{};
    }

private:
    const char* at_;
    const char* end_;
    bool is_first_ = true;
};

/// So that reading gives the same numbers.
std::string numbers_text(std::span<const float> numbers);

/// Nothing if `text` is not of that form, or a number is not finite.
std::optional<std::vector<float>> parse_numbers(std::string_view text);

}  // namespace tilespmv
