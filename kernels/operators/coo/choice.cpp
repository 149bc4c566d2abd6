#include "selector/auto/cost_table.hpp"

namespace tilespmv {

KnownOperator known_of_coo() { return {.name = "coo"}; }
KnownOperator known_of_coo_omp() { return {.name = "coo-omp"}; }

}  // namespace tilespmv
