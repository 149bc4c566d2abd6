#include <cmath>

#include "selector/auto/work_terms.hpp"

namespace tilespmv {
namespace {

double dia_places(const MatrixFeatures& f) { return rows_of(f) * static_cast<double>(f.diagonals); }

/// A bit for each place.
double dia_bytes(const MatrixFeatures& f) { return (value_of(f) + 1.0 / 8) * dia_places(f); }

/// Padding is multiplied; a diagonal reads x in order.
void dia_work(const MatrixFeatures& f, Work& work) {
    of(work, Term::nonzeros) = dia_places(f);
    of(work, Term::x_sectors) = dia_places(f) * value_of(f) / 32;
    of(work, Term::chain) = std::ceil(static_cast<double>(f.diagonals) / 8);  // groups
    of(work, Term::rows) = rows_of(f) * of(work, Term::chain);
}

/// Diagonals nearly as full as rows: then all of them were counted.
bool suits_dia(const MatrixFeatures& f) {
    return f.nnz > 0 && f.diagonals < kMostDiagonals && dia_places(f) <= kMostDiaPlaces * nnz_of(f);
}

}  // namespace

KnownOperator known_of_dia() {
    return {.name = "dia",
            .candidates = {{.matrix_bytes = dia_bytes, .adapt = dia_work, .suits = suits_dia}},
            .costs = {
                {"dia", 8, {5e-8, 0.74, 0, 0, 3.0e-12, 1.25e-7}, {3e-4, 6.0e-10, 9e-10, 0}},
                {"dia", 4, {5e-8, 0.92, 0, 0, 2.3e-12, 1.25e-7}, {3e-4, 5.2e-10, 9e-10, 0}},
                {"dia", 4, {5e-8, 0.91, 0, 0, 2.3e-12, 1.25e-7}, {3e-4, 5.2e-10, 9e-10, 0}, 4},
                {"dia", 2, {3.7e-8, 0.15, 0, 0, 4.3e-12, 9.4e-8}, {3e-4, 4.8e-10, 9e-10, 0}},
            }};
}

/// Strips of one pattern have no columns either, and no padding: strip-omp is faster on all but the smallest grids.
KnownOperator known_of_dia_omp() { return {.name = "dia-omp"}; }

}  // namespace tilespmv
