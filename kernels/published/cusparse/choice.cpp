#include "selector/auto/cost_table.hpp"

namespace tilespmv {

KnownOperator known_of_cusparse_csr() { return {.name = "cusparse-csr"}; }
KnownOperator known_of_cusparse_coo() { return {.name = "cusparse-coo"}; }
KnownOperator known_of_cusparse_sell() { return {.name = "cusparse-sell"}; }
KnownOperator known_of_cusparse_bsr() { return {.name = "cusparse-bsr"}; }
KnownOperator known_of_cusparse_spmm() { return {.name = "cusparse-spmm"}; }

}  // namespace tilespmv
