#include "tools/picture/color.hpp"

#include <fmt/format.h>

namespace tilespmv::tools {

Rgb tint(Rgb color, double strength) {
    const auto mix = [&](std::uint8_t c) { return static_cast<std::uint8_t>(255.5 + (c - 255.0) * strength); };
    return {mix(color.r), mix(color.g), mix(color.b)};
}

Rgb format_color(int id) { return kPalette[static_cast<std::size_t>(id) % kPalette.size()]; }

std::string hex(Rgb color) { return fmt::format("#{:02x}{:02x}{:02x}", color.r, color.g, color.b); }

}  // namespace tilespmv::tools
