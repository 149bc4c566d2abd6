#include "kernels/operators/ell/choice.hpp"

#include <array>

#include "selector/auto/work_terms.hpp"

namespace tilespmv {
namespace {

double ell_places(const MatrixFeatures& f) { return static_cast<double>(f.longest_row) * rows_of(f); }

}  // namespace

double ell_bytes(const MatrixFeatures& f) { return (4 + value_of(f)) * ell_places(f); }

void ell_work(const MatrixFeatures& f, Work& work) {
    of(work, Term::nonzeros) = ell_places(f);
    of(work, Term::chain) = static_cast<double>(f.longest_row);
}

/// Even rows: ELL is refused long after it has ceased to pay.
bool suits_ell(const MatrixFeatures& f) { return f.nnz > 0 && ell_places(f) <= 1.5 * nnz_of(f); }

namespace {

constexpr std::array kEllCandidates{
    Candidate{.name = "ell", .matrix_bytes = ell_bytes, .adapt = ell_work, .suits = suits_ell, .waves = row_waves}};
constexpr std::array kEllCosts{
    Cost{"ell", 8, {3.0e-7, 1.00, 0, 2.35e-12, 0, 5e-8}, {2e-4, 3.0e-10, 2.5e-9, 0}},
    Cost{"ell", 4, {7.9e-8, 2.40, 0, 1.8e-12, 0, 2.4e-8}, {2e-4, 2.2e-10, 2.5e-9, 0}},
    Cost{"ell", 4, {7.5e-8, 2.40, 0, 1.1e-12, 0, 2.6e-8}, {2e-4, 2.2e-10, 2.5e-9, 0}, 4},
};

}  // namespace

extern const KnownOperator kEll{.candidates = kEllCandidates, .costs = kEllCosts};

}  // namespace tilespmv
