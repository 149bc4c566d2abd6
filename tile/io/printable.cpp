#include "tile/io/printable.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include <fmt/format.h>

namespace tilespmv {
namespace {

struct Character {
    char32_t code = 0;
    std::size_t bytes = 0;  ///< 0: the text does not start with a character of valid UTF-8
};

/// The first character of a text that is not empty.
Character first_character(std::string_view text) {
    const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
    if (byte(0) < 0x80) return {byte(0), 1};
    const std::size_t bytes = byte(0) >= 0xf0 ? 4 : byte(0) >= 0xe0 ? 3 : 2;
    if (byte(0) < 0xc0 || byte(0) > 0xf7 || text.size() < bytes) return {};
    char32_t code = byte(0) & (0x7fu >> bytes);
    for (std::size_t i = 1; i < bytes; ++i) {
        if ((byte(i) & 0xc0u) != 0x80) return {};
        code = code << 6 | (byte(i) & 0x3fu);
    }
    constexpr std::array<char32_t, 3> least{0x80, 0x800, 0x10000};  // of 2, 3 and 4 bytes
    const bool is_surrogate = code >= 0xd800 && code <= 0xdfff;
    if (code < least[bytes - 2] || code > 0x10ffff || is_surrogate) return {};
    return {code, bytes};
}

/// Whether a character neither controls the terminal nor hides or reorders what stands beside it.
bool is_harmless(char32_t code) {
    using Range = std::pair<char32_t, char32_t>;
    constexpr std::array<Range, 12> harmful{{{0x0, 0x1f},
                                             {0x7f, 0x9f},
                                             {0xad, 0xad},
                                             {0x600, 0x605},
                                             {0x61c, 0x61c},
                                             {0x180e, 0x180e},
                                             {0x200b, 0x200f},
                                             {0x2028, 0x202e},
                                             {0x2060, 0x206f},
                                             {0xfeff, 0xfeff},
                                             {0xfff0, 0xffff},
                                             {0xe0000, 0x10ffff}}};
    return std::none_of(harmful.begin(), harmful.end(),
                        [code](Range range) { return range.first <= code && code <= range.second; });
}

std::string escape(char32_t code) {
    switch (code) {
        case '\n':
            return "\\n";
        case '\r':
            return "\\r";
        case '\t':
            return "\\t";
        default:
            return code < 0x100     ? fmt::format("\\x{:02x}", static_cast<unsigned>(code))
                   : code < 0x10000 ? fmt::format("\\u{:04x}", static_cast<unsigned>(code))
                                    : fmt::format("\\U{:08x}", static_cast<unsigned>(code));
    }
}

/// `marks`: harmless characters that get a backslash.
std::string with_escapes(std::string_view text, std::string_view marks) {
    std::string shown;
    while (!text.empty()) {
        const auto [code, bytes] = first_character(text);
        const std::size_t length = std::max<std::size_t>(bytes, 1);
        if (bytes == 0) {
            shown += escape(static_cast<unsigned char>(text.front()));
        } else if (!is_harmless(code)) {
            shown += escape(code);
        } else {
            if (marks.find(text.front()) != std::string_view::npos) shown += '\\';
            shown += text.substr(0, length);
        }
        text.remove_prefix(length);
    }
    return shown;
}

}  // namespace

std::string escaped(std::string_view text) { return with_escapes(text, "\\\""); }
std::string printable(std::string_view text) {
    const bool is_plain = std::ranges::all_of(text, [](char c) { return c >= 0x20 && c < 0x7f; });
    return is_plain ? std::string(text) : with_escapes(text, "");
}

}  // namespace tilespmv
