#include "selector/auto/work_terms.hpp"

namespace tilespmv {
namespace {

double csr_adaptive_bytes(const MatrixFeatures& f) { return csr_bytes(f) + 32.0 / 512 * nnz_of(f); }

}  // namespace

KnownOperator known_of_csr_adaptive() {
    return {.name = "csr-adaptive",
            .candidates = {{.matrix_bytes = csr_adaptive_bytes, .adapt = shared_row_work}},
            .costs = {
                {"csr-adaptive", 8, {3.6e-7, 0.86, 3.9e-13, 5.2e-12, 1.9e-12, 5.2e-8}, {5.8e-5, 2.8e-10, 1.05e-9, 0}},
                {"csr-adaptive", 4, {6.1e-7, 0.95, 3.9e-13, 4.2e-12, 3e-12, 3.1e-8}, {5.8e-5, 2e-10, 1.05e-9, 0}, 4},
            }};
}

}  // namespace tilespmv
