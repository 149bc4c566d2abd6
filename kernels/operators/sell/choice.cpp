#include <algorithm>

#include "kernels/cuda/tuning.hpp"
#include "selector/auto/features_of.hpp"
#include "selector/auto/work_terms.hpp"
#include "selector/csr_shapes.hpp"
#include "selector/work_sizes.hpp"

namespace tilespmv {
namespace {

/// A place has a column of 2 or 4 bytes, a row with nonzeros 4 bytes and half of a slice of 16, an empty row one bit.
double sell_bytes(const MatrixFeatures& f) {
    const bool is_narrow = sell_code_bytes(f.cols) == 2;
    const double filled = rows_of(f) * (1 - f.empty_rows);
    return ((is_narrow ? 2 : 4) + value_of(f)) * 1.02 * nnz_of(f) + 4.5 * filled + rows_of(f) / 8;
}

/// Where rows differ, those of a slice lie far from each other in y. A chain: blocks wait for others that have pieces
/// of the same row.
void sell_work(const MatrixFeatures& f, Work& work) {
    const int steps = sell_steps_of(f);
    const offset_t whole_row = offset_t{2} * cuda::kSellThreads * steps;
    of(work, Term::x_sectors) = nnz_of(f) * f.x_sectors;
    of(work, Term::rows) = rows_of(f) * (1 - f.empty_rows) * std::min(1.0, 2 * f.row_deviation);
    of(work, Term::chain) = f.longest_row > whole_row ? 1 : 0;
}

/// While it is made, CSR and slices are both on the GPU, twice the memory of others.
constexpr offset_t kMostSellNonzeros = offset_t{1} << 31;

/// Not if a row is a quarter of the matrix: of a seventh (arrow) it takes 0.85 of the time of csr-merge. Where hardly a
/// row has a nonzero, one bit tells, where others read a row pointer, but not in float64 from half a million nonzeros
/// on, where csr-merge takes 0.82 of the time. Between was not measured.
bool suits_sell(const MatrixFeatures& f) {
    if (f.nnz > kMostSellNonzeros) return false;
    if (f.mean_row <= 0.25) return f.nnz < 500'000 || f.value_bytes < 8;
    return f.mean_row >= 0.6 && 4 * f.longest_row <= f.nnz;
}

}  // namespace

KnownOperator known_of_sell() {
    return {.name = "sell",
            .candidates = {{.matrix_bytes = sell_bytes, .adapt = sell_work, .suits = suits_sell}},
            .costs = {
                {"sell", 8, {2.8e-7, 0.90, 0, 3.7e-12, 3.0e-12, 1.2e-6}, {2e-4, 3e-10, 1.2e-9, 0}},
                {"sell", 4, {3.3e-7, 1.00, 0, 2.9e-12, 1.9e-12, 1.3e-6}, {2e-4, 2.2e-10, 1.2e-9, 0}},
                {"sell", 4, {2.9e-7, 0.93, 0, 3.2e-12, 1.6e-12, 8.5e-7}, {2e-4, 2.2e-10, 1.2e-9, 0}, 4},
            }};
}

}  // namespace tilespmv
