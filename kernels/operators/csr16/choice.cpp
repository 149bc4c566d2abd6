#include "kernels/operators/csr16/choice.hpp"

#include "selector/auto/work_terms.hpp"

namespace tilespmv {

/// A row has 2 bytes in its block, a block of 512 nonzeros has 32.
double csr16_bytes(const MatrixFeatures& f) {
    const double code = 2 * f.narrow_share + 4 * (1 - f.narrow_share);
    return 2 * rows_of(f) + (code + value_of(f) + 32.0 / 512) * nnz_of(f);
}

KnownOperator known_of_csr16() {
    return {.name = "csr16",
            .candidates = {{.matrix_bytes = csr16_bytes, .adapt = shared_row_work}},
            .costs = {
                {"csr16", 8, {3.5e-7, 0.86, 4.0e-13, 5.5e-12, 1.9e-12, 5.8e-8}, {8.3e-5, 4.5e-10, 1.6e-9, 0}},
                {"csr16", 4, {3.2e-7, 1.10, 4.0e-13, 4.8e-12, 1.9e-12, 4.8e-8}, {8.3e-5, 3.6e-10, 1.5e-9, 0}},
                {"csr16", 4, {3.3e-7, 0.89, 4e-13, 4.8e-12, 1.8e-12, 3e-8}, {8.3e-5, 3.6e-10, 1.5e-9, 0}, 4},
            }};
}

}  // namespace tilespmv
