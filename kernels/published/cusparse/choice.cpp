#include "selector/auto/work_terms.hpp"

namespace tilespmv {

KnownOperator known_of_cusparse_csr() { return baseline("cusparse-csr"); }
KnownOperator known_of_cusparse_coo() { return baseline("cusparse-coo", coo_bytes); }
KnownOperator known_of_cusparse_sell() { return baseline("cusparse-sell"); }
KnownOperator known_of_cusparse_bsr() { return baseline("cusparse-bsr"); }
KnownOperator known_of_cusparse_spmm() { return {.name = "cusparse-spmm"}; }

}  // namespace tilespmv
