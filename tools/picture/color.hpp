#pragma once

#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <string_view>

namespace tilespmv::tools {

/// A colour, also made from a text of the form #rrggbb. Throws std::invalid_argument for any other text.
struct Rgb {
    std::uint8_t r = 0;
    std::uint8_t g = 0;
    std::uint8_t b = 0;

    constexpr Rgb() = default;
    constexpr Rgb(std::uint8_t red, std::uint8_t green, std::uint8_t blue) : r(red), g(green), b(blue) {}
    template <std::convertible_to<std::string_view> Text>
    constexpr Rgb(const Text& digits) {
        const std::string_view text = digits;
        if (text.size() != 7 || text[0] != '#') throw std::invalid_argument("a colour is written #rrggbb");
        r = byte(text, 1);
        g = byte(text, 3);
        b = byte(text, 5);
    }

    friend bool operator==(const Rgb&, const Rgb&) = default;

private:
    static constexpr std::uint8_t byte(std::string_view text, std::size_t at) {
        return static_cast<std::uint8_t>(16 * digit(text[at]) + digit(text[at + 1]));
    }
    static constexpr int digit(char c) {
        if (c >= '0' && c <= '9') return c - '0';
        if (c >= 'a' && c <= 'f') return c - 'a' + 10;
        throw std::invalid_argument("a colour has digits from 0 to 9 and a to f");
    }
};

inline constexpr Rgb kWhite{255, 255, 255};

/// White, the colour, and in between: `strength` 0 is white, 1 the colour itself.
Rgb tint(Rgb color, double strength);

/// Colours that stay apart for colour-blind readers, also as tints on white.
inline constexpr std::array<Rgb, 10> kPalette{"#d54300", "#1b8fea", "#3dbb5c", "#d9b600", "#a2108e",
                                              "#55002a", "#1f12c8", "#00736b", "#8c5a2b", "#f078b0"};
/// Colour of a format by its id; ids beyond the palette start over.
Rgb format_color(int id);
/// Colour of nonzeros outside the tiles.
inline constexpr Rgb kDeferredColor{0x84, 0x84, 0x84};

/// #rrggbb.
std::string hex(Rgb color);

}  // namespace tilespmv::tools
