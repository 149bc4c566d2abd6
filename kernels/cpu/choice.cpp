#include <algorithm>
#include <array>

#include "kernels/operators/coo/choice.hpp"
#include "kernels/operators/dia/choice.hpp"
#include "kernels/operators/ell/choice.hpp"
#include "kernels/operators/hyb/choice.hpp"
#include "kernels/operators/strip/choice.hpp"
#include "selector/auto/work_terms.hpp"

namespace tilespmv {
namespace {

/// A candidate of the rules, with the work that models have terms for.
constexpr ModelledOperator with_adapt(Candidate candidate, void (*adapt)(const MatrixFeatures& f, Work& work)) {
    candidate.adapt = adapt;
    return {candidate};
}

bool is_in_cpu_cache(const MatrixFeatures& f) { return bytes_in_csr(f) <= kCached; }

/// A product of fewer takes a microsecond or two as CSR.
bool is_worth_converting(const MatrixFeatures& f) { return f.nnz >= 5'000; }

void csr_omp_work(const MatrixFeatures& f, Work& work) {
    if (is_in_cpu_cache(f)) of(work, Term::rows) = rows_of(f) * (1 - f.empty_rows);
}

constexpr std::array kCsrOmpCandidates{
    Candidate{.name = "csr-omp", .matrix_bytes = bytes_as_csr, .adapt = csr_omp_work}};
constexpr std::array kCsrOmpModels{with_adapt(kCsrOmpCandidates[0], nullptr)};
constexpr std::array kCsrOmpCosts{
    Cost{"csr-omp", 8, {0, 0, 2.6e-10, 3.3e-11, 1.1e-9, 0}, {2.1e-5, 2.1e-11, 2.6e-10, 0}, 8, kNear},
    Cost{"csr-omp", 8, {0, 1.3e-11, 1.1e-10, 3.6e-11, 1.1e-9, 0}, {2.6e-5, 0, 3.5e-10, 0}, 8, kCached},
    Cost{"csr-omp", 8, {0, 2.50e-11, 0, 5.6e-10, 1.62e-9, 0}, {1e-5, 0, 1e-10, 0}},
    Cost{"csr-omp", 4, {0, 0, 3e-10, 6.2e-11, 1e-9, 0}, {2.1e-5, 3.5e-12, 2.1e-10, 0}, 8, kNear},
    Cost{"csr-omp", 4, {0, 4e-11, 0, 5.1e-11, 4.3e-10, 0}, {2.9e-5, 0, 2.5e-10, 0}, 8, kCached},
    Cost{"csr-omp", 4, {0, 4.6e-11, 0, 1.7e-10, 8.7e-10, 0}, {1e-5, 0, 2.3e-10, 0}},
};

/// By all nonzeros: a sample of tile rows may miss the long ones.
double strip_omp_places(const MatrixFeatures& f) { return f.strip_fill > 0 ? nnz_of(f) / f.strip_fill : 0; }

double strip_omp_bytes(const MatrixFeatures& f) {
    const double slots = strip_omp_places(f) / kTileSize;
    return value_of(f) * strip_omp_places(f) + 14 * slots * (1 - f.repeated_strips) + 6 * tile_rows_of(f);
}

/// The columns of a strip whose pattern is its own are read and looked up, those of others are known.
void strip_omp_work(const MatrixFeatures& f, Work& work) {
    constexpr double kOwn = 2;
    if (!is_in_cpu_cache(f)) return;
    of(work, Term::nonzeros) = strip_omp_places(f) * (1 + kOwn * (1 - f.repeated_strips));
    of(work, Term::rows) = tile_rows_of(f);
}

/// Elsewhere much of it is left to CSR: a slot with columns of its own has to take fewer bytes, rows are not too long
/// for strips, and those of the sample stand for most of the matrix.
bool suits_strip_omp(const MatrixFeatures& f) {
    const double slot_bytes = kTileSize * value_of(f) + 14;
    return is_worth_converting(f) && f.strip_fill >= 0.7 && slot_bytes < kTileSize * f.strip_fill * (value_of(f) + 4) &&
           f.mean_row <= StripTuning{}.max_slots * f.strip_fill && strip_places(f) * f.strip_fill >= 0.5 * nnz_of(f) &&
           strip_omp_bytes(f) < bytes_as_csr(f);
}

constexpr std::array kStripOmpCandidates{
    Candidate{.name = "strip-omp", .matrix_bytes = strip_omp_bytes, .adapt = strip_omp_work, .suits = suits_strip_omp}};
constexpr std::array kStripOmpModels{with_adapt(kStripOmpCandidates[0], nullptr)};
constexpr std::array kStripOmpCosts{
    Cost{"strip-omp", 8, {0, 2.7e-12, 4.8e-11, 0, 9.5e-10, 0}, {2e-5, 1.8e-9, 0, 0}, 8, kNear},
    Cost{"strip-omp", 8, {0, 7.4e-12, 3.3e-11, 0, 0, 0}, {0, 2.1e-9, 0, 0}, 8, kCached},
    Cost{"strip-omp", 8, {0, 2.50e-11, 0, 5.6e-10, 4.0e-10, 0}, {1e-5, 3.0e-9, 0, 0}},
    Cost{"strip-omp", 4, {0, 6.1e-12, 4e-11, 3.8e-11, 5.3e-10, 0}, {2.1e-5, 1.7e-9, 0, 0}, 8, kNear},
    Cost{"strip-omp", 4, {0, 7.8e-12, 4.2e-11, 0, 0, 0}, {0, 1.7e-9, 0, 0}, 8, kCached},
    Cost{"strip-omp", 4, {0, 0, 1.1e-10, 7.4e-10, 0, 0}, {1e-5, 1.8e-9, 0, 0}},
};

/// By the selector `bytes`: about 15 bytes for a tile and half a byte for a nonzero, until that is more than CSR takes.
double bytes_in_tiles(const MatrixFeatures& f) {
    const double tiles = f.tile_nonzeros > 0 ? nnz_of(f) / f.tile_nonzeros : 0;
    return (value_of(f) + 0.5) * nnz_of(f) + 15 * tiles;
}

double tile_omp_bytes(const MatrixFeatures& f) { return std::min(bytes_as_csr(f), bytes_in_tiles(f)); }

/// Each tile, and the nonzeros of those that are not full, whose columns are looked up.
void tile_omp_work(const MatrixFeatures& f, Work& work) {
    if (!is_in_cpu_cache(f) || f.tile_nonzeros <= 0) return;
    of(work, Term::nonzeros) = nnz_of(f) * (1 - f.tile_nonzeros / (kTileSize * kTileSize));
    of(work, Term::rows) = nnz_of(f) / f.tile_nonzeros;
}

/// Elsewhere nearly all is left to CSR, and the conversion buys nothing; or a tile row has hundreds of tiles with
/// little in them: 1.3 to 2.2 times the time of CSR (`lp_nw04`, `lp_fit2d`, `blogcatalog3`).
bool suits_tile_omp(const MatrixFeatures& f) {
    constexpr double kMostTiles = 256;  // of a tile row
    return is_worth_converting(f) && bytes_in_tiles(f) < bytes_as_csr(f) &&
           kTileSize * f.mean_row <= kMostTiles * f.tile_nonzeros;
}

constexpr std::array kTileOmpCandidates{Candidate{.name = "tile-omp",
                                                  .is_made_from_tiles = true,
                                                  .matrix_bytes = tile_omp_bytes,
                                                  .adapt = tile_omp_work,
                                                  .suits = suits_tile_omp}};

// Tiles have a term of their own.
constexpr std::array kTileOmpModels{with_adapt(kTileOmpCandidates[0], nullptr)};
constexpr std::array kTileOmpCosts{
    Cost{"tile-omp", 8, {0, 5.5e-12, 1.0e-10, 1.02e-10, 2.65e-9, 0}, {3e-5, 9.7e-10, 2.8e-9, 4.7e-8}, 8, kNear},
    Cost{"tile-omp", 8, {0, 7.4e-12, 7.4e-11, 3.3e-11, 3.3e-9, 0}, {0, 1.8e-9, 2.1e-10, 4.5e-8}, 8, kCached},
    Cost{"tile-omp", 8, {0, 2.27e-11, 0, 5.4e-10, 1.84e-9, 0}, {1e-5, 2.2e-9, 3.3e-8, 8.4e-9}},
    Cost{"tile-omp", 4, {0, 5.4e-12, 1.1e-10, 1.5e-10, 1.9e-9, 0}, {3.3e-5, 1e-9, 2.9e-9, 4.1e-8}, 8, kNear},
    Cost{"tile-omp", 4, {0, 5.3e-12, 8.9e-11, 1.2e-10, 2.3e-9, 0}, {0.00044, 1.1e-9, 1.6e-9, 4e-8}, 8, kCached},
    Cost{"tile-omp", 4, {0, 2.0e-12, 0, 1.7e-9, 1.6e-9, 0}, {1e-5, 2.2e-9, 3.3e-8, 8.4e-9}},
};

bool may_pad(const MatrixFeatures& f) { return is_worth_converting(f) && is_in_cpu_cache(f); }
bool suits_dia_omp(const MatrixFeatures& f) { return may_pad(f) && suits_dia(f); }

constexpr std::array kDiaOmpCandidates{
    Candidate{.name = "dia-omp", .matrix_bytes = dia_bytes, .adapt = dia_work, .suits = suits_dia_omp}};
constexpr std::array kDiaOmpCosts{
    Cost{"dia-omp", 8, {0, 7e-12, 1.3e-11, 0, 6.4e-11, 0}, {0, 2.2e-9, 0, 0}, 8, kNear},
    Cost{"dia-omp", 8, {0, 0, 1e-10, 0, 2.9e-10, 0}, {0, 2.5e-9, 0, 0}, 8, kCached},
    Cost{"dia-omp", 4, {0, 1.1e-11, 1.6e-13, 0, 1.2e-10, 0}, {5e-7, 1.8e-9, 1.6e-9, 0}, 8, kNear},
    Cost{"dia-omp", 4, {0, 6.3e-12, 2.8e-11, 0, 2.1e-10, 0}, {0, 2e-9, 2.2e-9, 0}, 8, kCached},
};

bool suits_ell_omp(const MatrixFeatures& f) { return may_pad(f) && suits_ell(f); }

constexpr std::array kEllOmpCandidates{
    Candidate{.name = "ell-omp", .matrix_bytes = ell_bytes, .adapt = ell_work, .suits = suits_ell_omp}};
constexpr std::array kEllOmpCosts{
    Cost{"ell-omp", 8, {0, 7.2e-12, 1.7e-10, 3.1e-11, 0, 1e-9}, {0, 3.3e-10, 2.4e-10, 0}, 8, kNear},
    Cost{"ell-omp", 8, {0, 0, 3.2e-10, 0, 0, 0}, {0, 6e-10, 0, 0}, 8, kCached},
    Cost{"ell-omp", 4, {0, 1.7e-11, 5.9e-11, 1.6e-11, 0, 1.8e-10}, {0, 3.2e-10, 2.6e-10, 0}, 8, kNear},
    Cost{"ell-omp", 4, {0, 2.4e-11, 3.4e-11, 8.9e-11, 0, 2.8e-7}, {0, 4.9e-10, 2.9e-10, 0}, 8, kCached},
};

/// A nonzero of COO takes as long as some places of ELL.
void hyb_omp_work(const MatrixFeatures& f, Work& work) {
    constexpr double kCoo = 3;
    of(work, Term::nonzeros) = hyb_places(f) + kCoo * in_coo(f);
}

bool suits_hyb_omp(const MatrixFeatures& f) {
    return may_pad(f) && f.hyb_rest <= 0.7 && hyb_places(f) + in_coo(f) <= 2 * nnz_of(f);
}

constexpr std::array kHybOmpCandidates{
    Candidate{.name = "hyb-omp", .matrix_bytes = hyb_bytes, .adapt = hyb_omp_work, .suits = suits_hyb_omp}};
constexpr std::array kHybOmpModels{with_adapt(kHybOmpCandidates[0], hyb_work)};
constexpr std::array kHybOmpCosts{
    Cost{"hyb-omp", 8, {0, 1.87e-11, 5.3e-11, 2.5e-11, 0, 0}, {0, 3.4e-10, 1.6e-9, 0}, 8, kNear},
    Cost{"hyb-omp", 8, {0, 2.3e-11, 7.4e-11, 0, 6.6e-11, 0}, {0, 6.2e-10, 2e-9, 0}, 8, kCached},
    Cost{"hyb-omp", 4, {0, 1.2e-11, 1.1e-10, 1.1e-11, 1.5e-10, 0}, {0, 3.9e-10, 2.3e-9, 0}, 8, kNear},
    Cost{"hyb-omp", 4, {0, 0, 2.4e-10, 6.6e-11, 3.1e-10, 0}, {0, 6.8e-10, 2.1e-9, 0}, 8, kCached},
};
constexpr std::array kCooOmpModels{ModelledOperator{{.name = "coo-omp", .matrix_bytes = coo_bytes}}};

}  // namespace

extern const KnownOperator kCsrOmp{.candidates = kCsrOmpCandidates, .costs = kCsrOmpCosts, .modelled = kCsrOmpModels};
extern const KnownOperator kStripOmp{.candidates = kStripOmpCandidates,
                                     .costs = kStripOmpCosts,
                                     .modelled = kStripOmpModels,
                                     .without_avx512 = {1.5, 1.9, 1.0}};
extern const KnownOperator kTileOmp{.candidates = kTileOmpCandidates,
                                    .costs = kTileOmpCosts,
                                    .modelled = kTileOmpModels,
                                    .without_avx512 = {2.6, 2.6, 1.9}};
extern const KnownOperator kDiaOmp{
    .candidates = kDiaOmpCandidates, .costs = kDiaOmpCosts, .without_avx512 = {2.8, 3.5, 3.5}};
extern const KnownOperator kEllOmp{
    .candidates = kEllOmpCandidates, .costs = kEllOmpCosts, .without_avx512 = {1.5, 2.0, 2.0}};
extern const KnownOperator kHybOmp{.candidates = kHybOmpCandidates,
                                   .costs = kHybOmpCosts,
                                   .modelled = kHybOmpModels,
                                   .without_avx512 = {1.5, 1.7, 1.7}};
extern const KnownOperator kCooOmp{.modelled = kCooOmpModels};

}  // namespace tilespmv
