#include "selector/auto/work_terms.hpp"

namespace tilespmv {
namespace {

double ell_places(const MatrixFeatures& f) { return static_cast<double>(f.longest_row) * rows_of(f); }

double ell_bytes(const MatrixFeatures& f) { return (4 + value_of(f)) * ell_places(f); }

void ell_work(const MatrixFeatures& f, Work& work) {
    of(work, Term::nonzeros) = ell_places(f);
    of(work, Term::chain) = static_cast<double>(f.longest_row);
}

/// Even rows: ELL is refused long after it has ceased to pay.
bool suits_ell(const MatrixFeatures& f) { return f.nnz > 0 && ell_places(f) <= 1.5 * nnz_of(f); }

/// On rows of 6 nonzeros in uniform columns it takes 0.95 of the time of csr-omp, on rows of 8 1.05.
bool suits_ell_omp(const MatrixFeatures& f) { return may_pad(f, 6) && suits_ell(f); }

}  // namespace

KnownOperator known_of_ell() {
    return {.name = "ell",
            .candidates = {{.matrix_bytes = ell_bytes, .adapt = ell_work, .suits = suits_ell}},
            .costs = {
                {"ell", 8, {3.0e-7, 1.00, 0, 2.35e-12, 0, 5e-8}, {2e-4, 3.0e-10, 2.5e-9, 0}},
                {"ell", 4, {7.9e-8, 2.40, 0, 1.8e-12, 0, 2.4e-8}, {2e-4, 2.2e-10, 2.5e-9, 0}},
                {"ell", 4, {7.5e-8, 2.40, 0, 1.1e-12, 0, 2.6e-8}, {2e-4, 2.2e-10, 2.5e-9, 0}, 4},
            }};
}

KnownOperator known_of_ell_omp() {
    return {.name = "ell-omp",
            .candidates = {{.matrix_bytes = ell_bytes, .adapt = ell_work, .suits = suits_ell_omp}},
            .without_avx512 = {1.5, 2.0, 2.0},
            .costs = {
                {"ell-omp", 8, {0, 7.2e-12, 1.7e-10, 3.1e-11, 0, 1e-9}, {0, 3.3e-10, 2.4e-10, 0}, 8, kNear},
                {"ell-omp", 8, {0, 0, 3.2e-10, 0, 0, 0}, {0, 6e-10, 0, 0}, 8, kCached},
                {"ell-omp", 4, {0, 1.7e-11, 5.9e-11, 1.6e-11, 0, 1.8e-10}, {0, 3.2e-10, 2.6e-10, 0}, 8, kNear},
                {"ell-omp", 4, {0, 2.4e-11, 3.4e-11, 8.9e-11, 0, 2.8e-7}, {0, 4.9e-10, 2.9e-10, 0}, 8, kCached},
            }};
}

}  // namespace tilespmv
