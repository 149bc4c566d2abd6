#include "selector/auto/cost_table.hpp"

namespace tilespmv {

KnownOperator known_of_csr5() { return {.name = "csr5"}; }

}  // namespace tilespmv
