#pragma once

#include <array>
#include <string>
#include <string_view>

#include "tools/picture/picture.hpp"

// What the plots have in common.
namespace tilespmv::tools {

inline constexpr std::string_view kInk = "#1f2328";
inline constexpr std::string_view kFaint = "#59636e";
inline constexpr std::string_view kGrid = "#e6e8eb";
inline constexpr TextStyle kTitle{.size = 15, .color = kInk, .bold = true};
inline constexpr TextStyle kSmall{};
inline constexpr double kMargin = 20;

/// Colours that stay apart on white, also for most who see few of them.
inline constexpr std::array<std::string_view, 12> kColors{"#0969da", "#d1480f", "#1a7f37", "#8250df",
                                                          "#b58900", "#bf3989", "#0f8b8d", "#6e4b2a",
                                                          "#57606a", "#e5679b", "#7aa116", "#3f51b5"};

/// Pixels that a text takes in the small size, at most.
inline double small_width(std::string_view text) { return text_width(text, kSmall); }

/// As much of a text as fits into `width` pixels in the small size.
inline std::string shortened(std::string_view text, double width) { return shortened(text, width, kSmall); }

inline void draw_head(Picture& picture, std::string_view title, std::string_view subtitle) {
    picture.text(kMargin, 28, title, kTitle);
    picture.text(kMargin, 46, subtitle, {.size = 12});
}

}  // namespace tilespmv::tools
