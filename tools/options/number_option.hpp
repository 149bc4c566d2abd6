#pragma once

#include <charconv>
#include <concepts>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>

#include <fmt/format.h>
#include <CLI/CLI.hpp>

namespace tilespmv::tools {

/// The number that a text is from its first to its last character, decimal; none for anything else and for what is out
/// of the range of T.
template <class T>
std::optional<T> parse_number(std::string_view text) {
    if (text.starts_with('+') && !text.starts_with("+-")) text.remove_prefix(1);
    T value{};
    const auto [end, status] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (status != std::errc{} || end != text.data() + text.size()) return {};
    return value;
}

/// An option that takes a number from `low` to `high`, whole if T is an integer. Other text is refused.
template <class T, class Target>
CLI::Option* add_number(CLI::App& command, const std::string& name, Target& target, T low, T high,
                        const std::string& help) {
    const auto set = [name, &target, low, high](const std::string& text) {
        const auto value = parse_number<T>(text);
        if (value && *value >= low && *value <= high) {
            target = *value;
            return;
        }
        throw CLI::ValidationError(name, fmt::format("found '{}', expected a {}number from {} to {}", text,
                                                     std::integral<T> ? "whole " : "", low, high));
    };
    return command.add_option_function<std::string>(name, set, help)->type_name(std::integral<T> ? "UINT" : "FLOAT");
}

/// An option that takes any number of float64, infinities and NaN included. Shows what `target` holds as the default.
inline CLI::Option* add_any_number(CLI::App& command, const std::string& name, double& target,
                                   const std::string& help) {
    const auto set = [name, &target](const std::string& text) {
        const auto value = parse_number<double>(text);
        if (!value) {
            throw CLI::ValidationError(
                name, fmt::format("found '{}', expected a number in the range of float64, inf or nan", text));
        }
        target = *value;
    };
    return command.add_option_function<std::string>(name, set, help)
        ->type_name("FLOAT")
        ->default_str(fmt::format("{}", target));
}

}  // namespace tilespmv::tools
