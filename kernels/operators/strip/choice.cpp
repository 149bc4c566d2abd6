#include "kernels/operators/strip/choice.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "kernels/operators/csr16/choice.hpp"
#include "selector/auto/work_terms.hpp"
#include "selector/work_sizes.hpp"

namespace tilespmv {

double strip_places(const MatrixFeatures& f) { return kTileSize * f.strip_slots * tile_rows_of(f); }

double rank_strip_bytes(const MatrixFeatures& f) {
    const auto tile_rows = tile_rows_of(f);
    return (static_cast<double>(f.value_bytes) + 2) * kTileSize * f.rank_slots * tile_rows + 12 * tile_rows;
}

namespace {

/// 16 values a slot, its base and 16 codes of 4 bits where no strip before had the same, half a byte of masks for four.
double strip_bytes(const MatrixFeatures& f) {
    const double own_slots = f.strip_slots * tile_rows_of(f) * (1 - f.repeated_strips);
    return value_of(f) * strip_places(f) + 14 * own_slots + 6 * tile_rows_of(f);
}

/// Its blocks take four strips a step, short ones in up to four steps, and fill the GPU up to three times, one time
/// after the other.
void strip_work(const MatrixFeatures& f, Work& work) {
    constexpr double kShortStrip = 11, kSteps = 4;
    const Gpu gpu = measured_gpu(f.value_bytes);
    const double blocks = gpu.multiprocessors * strip_sizes(f.rows, f.nnz, gpu).blocks;
    const double wave = 4 * blocks * (f.strip_slots <= kShortStrip ? kSteps : 1);
    of(work, Term::nonzeros) = strip_places(f);
    of(work, Term::rows) = tile_rows_of(f);
    of(work, Term::chain) = std::clamp(tile_rows_of(f) / wave, 1.0, 3.0) - 1;
}

/// What rows much longer than others have at most, if they are alike: squares of lengths over the longest.
double in_long_rows(const MatrixFeatures& f) {
    return f.row_deviation * f.row_deviation * rows_of(f) / std::max<double>(static_cast<double>(f.longest_row), 1);
}

/// Whether rows are even, but for some so long that csr16 multiplies them beside the strips (arrow matrices).
bool has_even_strips(const MatrixFeatures& f) {
    const auto longest = static_cast<double>(f.longest_row);
    return longest <= 6 * f.mean_row + 16 ||
           (longest > kTileSize * StripTuning{}.max_slots && in_long_rows(f) <= 0.25 * nnz_of(f));
}

/// Elsewhere it executes csr16, or strips are too few or too uneven to keep the GPU busy.
bool suits_strip(const MatrixFeatures& f) {
    const double slots = f.mean_row / std::max((1 - f.empty_rows) * f.strip_fill, 1e-3);  // of tile rows with nonzeros
    return f.nnz >= 1'000'000 && f.rows >= 20'000 && f.strip_fill >= 0.75 && slots <= StripTuning{}.max_slots &&
           has_even_strips(f) && strip_bytes(f) < csr16_bytes(f);
}

}  // namespace

StripForm strip_form(const MatrixFeatures& f) {
    constexpr double kMostFar = 0.5;  // of the nonzeros: columns too far from each other for 16 bits
    const StripSizes sizes = strip_sizes(f.rows, f.nnz, gpu_of(f));
    const double csr16 = csr16_bytes(f);
    if (f.strip_slots <= sizes.max_slots && strip_bytes(f) <= csr16) return StripForm::windows;
    const bool fits = f.rank_slots <= sizes.max_slots && 1 - f.narrow_share <= kMostFar;
    const bool is_short = rank_strip_bytes(f) <= sizes.rank_bytes * csr16;
    return fits && is_short ? StripForm::ranks : StripForm::csr16;
}

namespace {

// The rules ask only where there are strips; models are fitted to any matrix.

double model_bytes(const MatrixFeatures& f) {
    const StripForm form = strip_form(f);
    if (form == StripForm::ranks) return rank_strip_bytes(f);
    return form == StripForm::csr16 ? csr16_bytes(f) : strip_bytes(f);
}

/// Strips filled by rank work as others of as many slots.
void model_work(const MatrixFeatures& f, Work& work) {
    const StripForm form = strip_form(f);
    if (form == StripForm::csr16) return shared_row_work(f, work);
    MatrixFeatures slots = f;
    if (form == StripForm::ranks) slots.strip_slots = f.rank_slots;
    strip_work(slots, work);
}

/// Where the rules have strips, and where those filled by rank keep the GPU busy.
bool suits_model(const MatrixFeatures& f) {
    constexpr offset_t kManyNonzeros = 1'000'000;
    constexpr index_t kManyRows = 20'000;
    return suits_strip(f) || (strip_form(f) == StripForm::ranks && f.nnz >= kManyNonzeros && f.rows >= kManyRows);
}

double strip_choice(const MatrixFeatures& f) {
    const StripForm form = strip_form(f);
    if (form == StripForm::csr16) return 3 * kOtherKernel;
    const bool by_rank = form == StripForm::ranks;
    const StripSizes sizes = strip_sizes(f.rows, f.nnz, gpu_of(f));
    const double lanes = (by_rank ? f.rank_slots : f.strip_slots) > sizes.lane_slots ? kOtherKernel : 0;
    const int blocks = by_rank ? sizes.rank_blocks : sizes.blocks;
    return (by_rank ? -2 * kOtherKernel : 0) + lanes +
           (blocks > gpu_of(f).tuning.strips.blocks_of_few ? kOtherKernel / 2 : 0);
}

constexpr std::array kStripCandidates{Candidate{
    .name = "strip", .matrix_bytes = strip_bytes, .adapt = strip_work, .suits = suits_strip, .choice = strip_choice}};
constexpr std::array kStripModels{ModelledOperator{.candidate = {.name = "strip",
                                                                 .matrix_bytes = model_bytes,
                                                                 .adapt = model_work,
                                                                 .suits = suits_model,
                                                                 .choice = strip_choice},
                                                   .further = FurtherFeatures::all}};
constexpr std::array kStripCosts{
    Cost{"strip", 8, {4.0e-7, 0.80, 4.0e-13, 2.2e-12, 0, 9.0e-7}, {4e-4, 4.2e-10, 6e-10, 0}},
    Cost{"strip", 4, {2.0e-7, 0.78, 4.2e-13, 1.0e-12, 0, 1.6e-6}, {4e-4, 3.4e-10, 6e-10, 0}},
    Cost{"strip", 4, {1.2e-7, 0.73, 4.6e-13, 9e-13, 0, 1.5e-6}, {4e-4, 3.4e-10, 6e-10, 0}, 4},
    Cost{"strip", 2, {2.0e-7, 1.99, 0, 1.0e-12, 0, 2.76e-6}, {4e-4, 3.0e-10, 6e-10, 0}},
};

}  // namespace

extern const KnownOperator kStrip{.candidates = kStripCandidates, .costs = kStripCosts, .modelled = kStripModels};

}  // namespace tilespmv
