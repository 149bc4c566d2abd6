#include "tile/options.hpp"

#include <algorithm>
#include <charconv>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "tile/error.hpp"

namespace tilespmv {

Options::Options(std::string_view kind, std::string_view specification) : kind_(kind), specification_(specification) {
    const auto colon = specification.find(':');
    name_ = specification.substr(0, colon);
    for (auto at = colon; at != std::string_view::npos;) {
        const auto comma = specification.find(',', at + 1);
        const auto item = specification.substr(at + 1, comma == std::string_view::npos ? comma : comma - at - 1);
        const auto equals = item.find('=');
        if (equals == std::string_view::npos || equals == 0) {
            throw Error(fmt::format("{} '{}': found '{}', expected option=value", kind_, specification_, item),
                        ExitCode::usage);
        }
        given_.emplace_back(item.substr(0, equals), item.substr(equals + 1));
        at = comma;
    }
}

std::string Options::word(std::string_view option, std::string_view default_value) {
    known_.emplace_back(option);
    for (const auto& [name, value] : given_) {
        if (name == option) return value;
    }
    return std::string(default_value);
}

double Options::number(std::string_view option, double default_value, double low, double high) {
    const std::string text = word(option, "");
    if (text.empty()) return default_value;
    double value = 0;
    const auto [end, status] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (status != std::errc{} || end != text.data() + text.size() || !(value >= low && value <= high)) {
        throw Error(fmt::format("{} '{}': {}={}, expected a number from {} to {}", kind_, specification_, option, text,
                                low, high),
                    ExitCode::usage);
    }
    return value;
}

int Options::one_of(std::string_view option, int default_value, std::initializer_list<int> values) {
    const std::string text = word(option, "");
    if (text.empty()) return default_value;
    for (const int value : values) {
        if (text == std::to_string(value)) return value;
    }
    throw Error(
        fmt::format("{} '{}': {}={}, expected one of {}", kind_, specification_, option, text, fmt::join(values, ", ")),
        ExitCode::usage);
}

void Options::finish() const {
    for (const auto& [name, value] : given_) {
        if (std::find(known_.begin(), known_.end(), name) != known_.end()) continue;
        const auto known = known_.empty() ? "it takes none" : fmt::format("it takes {}", fmt::join(known_, ", "));
        throw Error(fmt::format("{} '{}': no option '{}'; {}", kind_, specification_, name, known), ExitCode::usage);
    }
}

}  // namespace tilespmv
