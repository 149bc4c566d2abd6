#include "selector/auto/cost_table.hpp"

namespace tilespmv {

KnownOperator known_of_csr_spmm() { return {.name = "csr-spmm"}; }

}  // namespace tilespmv
