#pragma once

#include "tools/picture/picture.hpp"
#include "tools/stats/report.hpp"
#include "tools/stats/tile_map.hpp"

namespace tilespmv::tools {

/// Colour of a format by its id; ids beyond the palette start over. Chosen to stay apart for colour-blind readers, also
/// as tints on white.
Rgb format_color(int id);
/// Colour of nonzeros outside the tiles.
inline constexpr Rgb kDeferredColor{0x84, 0x84, 0x84};

/// Where `draw_tile_map` puts the upper left corner of the map itself, in pixels.
struct MapOrigin {
    int x = 0;
    int y = 0;
};
MapOrigin map_origin(const TileMap& map);

/// The map with its title, axes and legend. Each cell has the colour of the format that holds most of its nonzeros, the
/// stronger the fuller; empty cells stay white. `report` describes the same matrix; its first selector is shown.
Picture draw_tile_map(const TileMap& map, const StatsReport& report);

}  // namespace tilespmv::tools
