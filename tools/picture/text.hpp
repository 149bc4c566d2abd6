#pragma once

#include <string_view>

#include "tools/picture/color.hpp"

namespace tilespmv::tools {

enum class Anchor { start, middle, end };

struct TextStyle {
    double size = 11;  ///< pixels
    Rgb color = "#59636e";
    Anchor anchor = Anchor::start;
    bool bold = false;
};

/// Pixels that a text takes in any of the usual fonts, at most. The fonts of this machine are not asked, so that a
/// layout is the same everywhere.
double text_width(std::string_view text, const TextStyle& style);

}  // namespace tilespmv::tools
