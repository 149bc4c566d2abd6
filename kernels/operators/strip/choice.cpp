#include <algorithm>

#include "selector/auto/work_terms.hpp"
#include "selector/work_sizes.hpp"

namespace tilespmv {
namespace {

/// Places of strips filled by windows.
double strip_places(const MatrixFeatures& f) { return kTileSize * f.strip_slots * tile_rows_of(f); }

/// 16 values a slot, its base and 16 codes of 4 bits where no strip before had the same, half a byte of masks for four.
double strip_bytes(const MatrixFeatures& f) {
    const double own_slots = f.strip_slots * tile_rows_of(f) * (1 - f.repeated_strips);
    return value_of(f) * strip_places(f) + 14 * own_slots + 6 * tile_rows_of(f);
}

/// As CSR with columns of 16 bits in blocks of 512 nonzeros: rows that would take more as strips are left to CSR.
double narrow_csr_bytes(const MatrixFeatures& f) { return 2 * rows_of(f) + (2 + value_of(f) + 32.0 / 512) * nnz_of(f); }

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

/// Elsewhere rows are left to CSR, or strips are too few or too uneven to keep the GPU busy.
bool suits_strip(const MatrixFeatures& f) {
    const double slots = f.mean_row / std::max((1 - f.empty_rows) * f.strip_fill, 1e-3);  // of tile rows with nonzeros
    return f.nnz >= 1'000'000 && f.rows >= 20'000 && f.strip_fill >= 0.75 && slots <= StripTuning{}.max_slots &&
           static_cast<double>(f.longest_row) <= 6 * f.mean_row + 16 && strip_bytes(f) < narrow_csr_bytes(f);
}

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

}  // namespace

KnownOperator known_of_strip() {
    return {.name = "strip",
            .candidates = {{.matrix_bytes = strip_bytes, .adapt = strip_work, .suits = suits_strip}},
            .costs = {
                {"strip", 8, {5.0e-8, 0.80, 3.5e-13, 2.2e-12, 0, 9.0e-7}, {4e-4, 4.2e-10, 6e-10, 0}},
                {"strip", 4, {2.0e-7, 0.78, 4.2e-13, 1.0e-12, 0, 1.6e-6}, {4e-4, 3.4e-10, 6e-10, 0}},
                {"strip", 4, {1.2e-7, 0.73, 4.6e-13, 9e-13, 0, 1.2e-6}, {4e-4, 3.4e-10, 6e-10, 0}, 4},
                {"strip", 2, {2.0e-7, 1.99, 0, 1.0e-12, 0, 2.76e-6}, {4e-4, 3.0e-10, 6e-10, 0}},
            }};
}

KnownOperator known_of_strip_omp() {
    return {.name = "strip-omp",
            .candidates = {{.matrix_bytes = strip_omp_bytes, .adapt = strip_omp_work, .suits = suits_strip_omp}},
            .without_avx512 = {1.5, 1.9, 1.0},
            .costs = {
                {"strip-omp", 8, {0, 2.7e-12, 4.8e-11, 0, 9.5e-10, 0}, {2e-5, 1.8e-9, 0, 0}, 8, kNear},
                {"strip-omp", 8, {0, 7.4e-12, 3.3e-11, 0, 0, 0}, {0, 2.1e-9, 0, 0}, 8, kCached},
                {"strip-omp", 8, {0, 2.50e-11, 0, 5.6e-10, 4.0e-10, 0}, {1e-5, 3.0e-9, 0, 0}},
                {"strip-omp", 4, {0, 6.1e-12, 4e-11, 3.8e-11, 5.3e-10, 0}, {2.1e-5, 1.7e-9, 0, 0}, 8, kNear},
                {"strip-omp", 4, {0, 7.8e-12, 4.2e-11, 0, 0, 0}, {0, 1.7e-9, 0, 0}, 8, kCached},
                {"strip-omp", 4, {0, 0, 1.1e-10, 7.4e-10, 0, 0}, {1e-5, 1.8e-9, 0, 0}},
            }};
}

}  // namespace tilespmv
