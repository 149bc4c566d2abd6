#include "tools/picture/color.hpp"

#include <array>

#include <fmt/format.h>

namespace tilespmv::tools {
namespace {

constexpr std::array<Rgb, 10> kPalette{"#d54300", "#1b8fea", "#3dbb5c", "#d9b600", "#a2108e",
                                       "#55002a", "#1f12c8", "#00736b", "#8c5a2b", "#f078b0"};

}  // namespace

Rgb tint(Rgb color, double strength) {
    const auto mix = [&](std::uint8_t c) { return static_cast<std::uint8_t>(255.5 + (c - 255.0) * strength); };
    return {mix(color.r), mix(color.g), mix(color.b)};
}

Rgb format_color(int id) { return kPalette[static_cast<std::size_t>(id) % kPalette.size()]; }

std::string hex(Rgb color) { return fmt::format("#{:02x}{:02x}{:02x}", color.r, color.g, color.b); }

}  // namespace tilespmv::tools
