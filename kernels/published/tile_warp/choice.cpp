#include "selector/auto/cost_table.hpp"

namespace tilespmv {

KnownOperator known_of_tile_warp() { return {.name = "tile-warp"}; }

}  // namespace tilespmv
