#include <array>

#include "selector/auto/work_terms.hpp"

namespace tilespmv {
namespace {

constexpr std::array kTileWarpModels{ModelledOperator{{.name = "tile-warp", .matrix_bytes = csr_bytes}, true}};

}  // namespace

extern const KnownOperator kTileWarp{.modelled = kTileWarpModels};

}  // namespace tilespmv
