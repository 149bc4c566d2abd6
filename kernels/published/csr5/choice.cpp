#include <cmath>

#include "selector/auto/work_terms.hpp"
#include "selector/work_sizes.hpp"

namespace tilespmv {
namespace {

double csr5_choice(const MatrixFeatures& f) { return std::log2(csr5_sigma(f.rows, f.nnz)); }

}  // namespace

KnownOperator known_of_csr5() {
    return {.name = "csr5",
            .candidates = {{.ranked_by = RankedBy::models, .matrix_bytes = csr_bytes, .choice = csr5_choice}}};
}

}  // namespace tilespmv
