#include "selector/auto/work_terms.hpp"

namespace tilespmv {

KnownOperator known_of_tile_warp() { return baseline("tile-warp"); }

}  // namespace tilespmv
