#include "tile/io/json_text.hpp"

#include <fmt/format.h>

#include "tile/error.hpp"

namespace tilespmv {
namespace {

/// The place behind the string that begins at the quote `at`.
std::size_t behind_string(std::string_view text, std::size_t at) {
    for (++at;; ++at) {
        at = text.find_first_of("\"\\", at);
        if (at == std::string_view::npos) return text.size();
        if (text[at] == '"') return at + 1;
        ++at;  // what a backslash escapes
    }
}

}  // namespace

TextFile json_text(const Input& input) {
    const TextFile text(input, {.bytes = kMostJsonBytes, .ratio = 0});
    if (static_cast<std::uint64_t>(text.end() - text.begin()) > kMostJsonBytes)
        throw Error(fmt::format("{}: cannot be read: it is longer than {} bytes", text.name(), kMostJsonBytes));
    return text;
}

bool is_bounded_json(std::string_view text) {
    std::size_t depth = 0;
    std::size_t values = 0;
    for (std::size_t at = 0; at < text.size();) {
        const char c = text[at];
        if (c == '"') {
            at = behind_string(text, at);
            continue;
        }
        ++at;
        if (c == '[' || c == '{') {
            if (++depth > kDeepestJson) return false;
        } else if (c == ']' || c == '}') {
            if (depth == 0) return true;  // no parser goes on
            --depth;
            continue;
        } else if (c != ',') {
            continue;
        }
        if (++values > kMostJsonValues) return false;
    }
    return true;
}

}  // namespace tilespmv
