#include "selector/models/number_text.hpp"

#include <cmath>
#include <iterator>

#include <fmt/format.h>

namespace tilespmv {

std::string numbers_text(std::span<const float> numbers) {
    std::string text;
    for (const float number : numbers) {
        if (!text.empty()) text += ' ';
        fmt::format_to(std::back_inserter(text), "{}", number);
    }
    return text;
}

std::optional<std::vector<float>> parse_numbers(std::string_view text) {
    std::vector<float> numbers;
    NumberReader reader(text);
    while (!reader.is_at_end()) {
        if (!reader.next(numbers.emplace_back()) || !std::isfinite(numbers.back())) return {};
    }
    return numbers;
}

}  // namespace tilespmv
