#include "tile/options/options.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "tile/error.hpp"

namespace tilespmv {

Options::Options(std::string_view kind, std::string_view specification) : kind_(kind), specification_(specification) {
    const auto colon = specification.find(':');
    name_ = specification.substr(0, colon);
    for (auto at = colon; at != std::string_view::npos;) {
        const auto comma = specification.find(',', at + 1);
        add(specification.substr(at + 1, comma == std::string_view::npos ? comma : comma - at - 1));
        at = comma;
    }
}

void Options::add(std::string_view item) {
    const auto equals = item.find('=');
    if (equals == std::string_view::npos || equals == 0 || equals + 1 == item.size())
        fail(fmt::format("found '{}', expected option=value", item));
    const std::string name(item.substr(0, equals));
    const auto same = [&](const auto& given) { return given.first == name; };
    if (std::ranges::any_of(given_, same)) fail(fmt::format("'{}' is given twice", name));
    given_.emplace_back(name, item.substr(equals + 1));
}

bool Options::has(std::string_view option) const {
    return std::ranges::count(given_, option, &std::pair<std::string, std::string>::first) > 0;
}

const std::string* Options::find(std::string_view option) {
    known_.emplace_back(option);
    const auto found = std::ranges::find_if(given_, [&](const auto& given) { return given.first == option; });
    return found == given_.end() ? nullptr : &found->second;
}

std::string Options::word(std::string_view option, std::string_view default_value) {
    const std::string* text = find(option);
    return text ? *text : std::string(default_value);
}

double Options::in_range(std::string_view option, double default_value, double low, double high, bool whole,
                         std::initializer_list<NamedNumber> names) {
    const std::string* text = find(option);
    if (!text) return default_value;
    const auto* const named = std::ranges::find(names, *text, &NamedNumber::name);
    if (named != names.end()) return named->value;
    double value = 0;
    const char* const stop = text->data() + text->size();
    const auto [end, status] = std::from_chars(text->data(), stop, value);
    const bool right = status == std::errc{} && end == stop && value >= low && value <= high;
    if (!right || (whole && value != std::floor(value))) {
        std::string expected = fmt::format("a {}number from {} to {}", whole ? "whole " : "", low, high);
        for (const auto& [name, number] : names) expected += fmt::format(", or {} ({})", name, number);
        fail(fmt::format("{}={}, expected {}", option, *text, expected));
    }
    return value;
}

double Options::number(std::string_view option, double default_value, double low, double high,
                       std::initializer_list<NamedNumber> names) {
    return in_range(option, default_value, low, high, false, names);
}

std::int64_t Options::whole(std::string_view option, std::int64_t default_value, std::int64_t low, std::int64_t high) {
    return static_cast<std::int64_t>(in_range(option, static_cast<double>(default_value), static_cast<double>(low),
                                              static_cast<double>(high), true, {}));
}

int Options::one_of(std::string_view option, int default_value, std::initializer_list<int> values) {
    const std::string* text = find(option);
    if (!text) return default_value;
    for (const int value : values) {
        if (*text == std::to_string(value)) return value;
    }
    fail(fmt::format("{}={}, expected one of {}", option, *text, fmt::join(values, ", ")));
}

void Options::finish() const {
    for (const auto& [name, value] : given_) {
        if (std::ranges::count(known_, name) > 0) continue;
        const auto known = known_.empty() ? "it takes none" : fmt::format("it takes {}", fmt::join(known_, ", "));
        fail(fmt::format("no option '{}'; {}", name, known));
    }
}

void Options::fail(const std::string& message) const {
    throw Error(fmt::format("{} '{}': {}", kind_, specification_, message), ExitCode::usage);
}

}  // namespace tilespmv
