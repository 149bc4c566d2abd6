#include "selector/models/lifted_texts.hpp"

#include <charconv>
#include <cstddef>
#include <system_error>

#include <fmt/format.h>

namespace tilespmv {
namespace {

/// The place behind `c` and blanks around it; npos if something else is there.
std::size_t behind(std::string_view json, std::size_t at, char c) {
    constexpr std::string_view kBlanks = " \t\r\n";
    at = json.find_first_not_of(kBlanks, at);
    if (at == std::string_view::npos || json[at] != c) return std::string_view::npos;
    return json.find_first_not_of(kBlanks, at + 1);
}

}  // namespace

std::optional<std::string_view> LiftedTexts::find(std::string_view mark) const {
    std::size_t number = 0;
    if (!mark.starts_with('#')) return {};
    const char* const end = mark.data() + mark.size();
    const auto [read_to, error] = std::from_chars(mark.data() + 1, end, number);
    if (error != std::errc{} || read_to != end || number >= texts.size()) return {};
    return texts[number];
}

LiftedTexts lift_texts(std::string_view json, std::string_view key) {
    const std::string quoted = fmt::format("\"{}\"", key);
    LiftedTexts lifted;
    std::size_t kept = 0;  // what is before is in the rest
    for (std::size_t at = json.find(quoted); at != std::string_view::npos; at = json.find(quoted, at)) {
        at += quoted.size();
        const std::size_t quote = behind(json, at, ':');
        if (quote == std::string_view::npos || json[quote] != '"') continue;
        const std::size_t end = json.find('"', quote + 1);
        if (end == std::string_view::npos) break;
        const auto text = json.substr(quote + 1, end - quote - 1);
        if (text.find('\\') != std::string_view::npos) continue;
        lifted.rest.append(json.substr(kept, quote + 1 - kept)).append(fmt::format("#{}", lifted.texts.size()));
        lifted.texts.push_back(text);
        at = kept = end;
    }
    lifted.rest.append(json.substr(kept));
    return lifted;
}

}  // namespace tilespmv
