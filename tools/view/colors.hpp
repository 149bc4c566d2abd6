#pragma once

#include <array>
#include <cstddef>
#include <string_view>

namespace tilespmv::tools {

/// Colours of formats, which stay apart for colour-blind readers, also as tints on white.
inline constexpr std::array<std::string_view, 10> kPalette{"#d54300", "#1b8fea", "#3dbb5c", "#d9b600", "#a2108e",
                                                           "#55002a", "#1f12c8", "#00736b", "#8c5a2b", "#f078b0"};
/// Colour of a format by its id; ids beyond the palette start over.
constexpr std::string_view format_color(std::size_t id) { return kPalette[id % kPalette.size()]; }
/// Colour of nonzeros outside the tiles.
inline constexpr std::string_view kDeferredColor = "#848484";

}  // namespace tilespmv::tools
