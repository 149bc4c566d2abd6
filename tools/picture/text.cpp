#include "tools/picture/text.hpp"

namespace tilespmv::tools {
namespace {

/// Whether a byte goes on with a character of UTF-8 that others have begun.
bool continues(char c) { return (static_cast<unsigned char>(c) & 0xc0u) == 0x80; }

/// Width of the character that begins with `c` at size 1, at least that of DejaVu Sans, the widest font in common use,
/// and of Liberation Sans, which is as wide as Arial and Helvetica.
double character_width(char c) {
    constexpr std::string_view narrow = " !'(),-./:;I[\\]fijlrt|";
    constexpr std::string_view medium = "#&+<=>^~w";
    constexpr std::string_view wide = "%@MWm";
    const auto is_one_of = [c](std::string_view set) { return set.find(c) != std::string_view::npos; };
    if (is_one_of(narrow)) return 0.42;
    if (is_one_of(wide) || static_cast<unsigned char>(c) >= 0x80) return 1.05;
    if (is_one_of(medium) || (c >= 'A' && c <= 'Z')) return 0.84;
    return 0.64;
}

/// Pixels of a character of width 1.
double scale(const TextStyle& style) {
    constexpr double bold = 1.18;
    return style.size * (style.bold ? bold : 1);
}

}  // namespace

double text_width(std::string_view text, const TextStyle& style) {
    double width = 0;
    for (const char c : text) width += continues(c) ? 0 : character_width(c);
    return width * scale(style);
}

}  // namespace tilespmv::tools
