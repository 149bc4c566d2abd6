#include "selector/auto/work_terms.hpp"

namespace tilespmv {
namespace {

/// Places of the ELL part.
double hyb_places(const MatrixFeatures& f) { return rows_of(f) * static_cast<double>(f.hyb_width); }
/// Nonzeros of the COO part.
double in_coo(const MatrixFeatures& f) { return f.hyb_rest * nnz_of(f); }
/// Bytes of the matrix as HYB.
double hyb_bytes(const MatrixFeatures& f) { return (4 + value_of(f)) * hyb_places(f) + (8 + value_of(f)) * in_coo(f); }
/// A nonzero of COO takes as long as some places of ELL.
void hyb_omp_work(const MatrixFeatures& f, Work& work) {
    constexpr double kCoo = 3;
    of(work, Term::nonzeros) = hyb_places(f) + kCoo * in_coo(f);
}

/// On usroads, of 2.6 nonzeros a row, it takes 1.2 times as long as csr-omp, on osm_andorra, of 2.0, 0.8 times.
bool suits_hyb_omp(const MatrixFeatures& f) {
    return may_pad(f, 2.5) && f.hyb_rest <= 0.7 && hyb_places(f) + in_coo(f) <= 2 * nnz_of(f);
}

}  // namespace

KnownOperator known_of_hyb() { return {.name = "hyb"}; }

KnownOperator known_of_hyb_omp() {
    return {.name = "hyb-omp",
            .candidates = {{.matrix_bytes = hyb_bytes, .adapt = hyb_omp_work, .suits = suits_hyb_omp}},
            .without_avx512 = {1.5, 1.7, 1.7},
            .costs = {
                {"hyb-omp", 8, {0, 1.87e-11, 5.3e-11, 2.5e-11, 0, 0}, {0, 3.4e-10, 1.6e-9, 0}, 8, kNear},
                {"hyb-omp", 8, {0, 2.3e-11, 7.4e-11, 0, 6.6e-11, 0}, {0, 6.2e-10, 2e-9, 0}, 8, kCached},
                {"hyb-omp", 4, {0, 1.2e-11, 1.1e-10, 1.1e-11, 1.5e-10, 0}, {0, 3.9e-10, 2.3e-9, 0}, 8, kNear},
                {"hyb-omp", 4, {0, 0, 2.4e-10, 6.6e-11, 3.1e-10, 0}, {0, 6.8e-10, 2.1e-9, 0}, 8, kCached},
            }};
}

}  // namespace tilespmv
