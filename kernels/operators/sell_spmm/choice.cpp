#include "selector/auto/cost_table.hpp"

namespace tilespmv {

KnownOperator known_of_sell_spmm() { return {.name = "sell-spmm"}; }

}  // namespace tilespmv
