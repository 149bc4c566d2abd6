#include <array>

#include "kernels/operators/coo/choice.hpp"
#include "selector/auto/work_terms.hpp"

namespace tilespmv {
namespace {

constexpr std::array kCusparseModels{ModelledOperator{{.name = "cusparse-csr", .matrix_bytes = csr_bytes}, true},
                                     ModelledOperator{{.name = "cusparse-coo", .matrix_bytes = coo_bytes}, true},
                                     ModelledOperator{{.name = "cusparse-sell", .matrix_bytes = csr_bytes}, true},
                                     ModelledOperator{{.name = "cusparse-bsr", .matrix_bytes = csr_bytes}, true}};

}  // namespace

extern const KnownOperator kCusparse{.modelled = kCusparseModels};

}  // namespace tilespmv
