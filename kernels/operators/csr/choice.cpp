#include "kernels/cuda/tuning.hpp"
#include "selector/auto/work_terms.hpp"
#include "selector/csr_shapes.hpp"
#include "selector/work_sizes.hpp"

namespace tilespmv {
namespace {

/// No row keeps a warp for long. Up to rows of 775 it was faster than blocks of threads for a row, at 1,194 slower.
bool suits_csr_vector(const MatrixFeatures& f) {
    const auto longest = static_cast<double>(f.longest_row);
    return longest <= 8 * f.mean_row + 64 && longest <= 2048 && f.mean_row <= 900;
}

/// The rounds of the shape that csr-vector chooses, in full ones of a warp, and those of the longest row. Costs were
/// fitted with what rounds were taken to take then.
void add_rounds(const MatrixFeatures& f, const VectorShape& shape, Work& work) {
    constexpr double kRequests = 24;
    constexpr double kDeepLanes = 1.75;
    const double lanes = shape.threads * (shape.flight > 4 ? kDeepLanes : 1);
    const RowRounds& rounds = rounds_of(f.row_rounds, shape);
    of(work, Term::rows) = static_cast<double>(rounds.all) * (kRequests + lanes) / (kRequests + 32);
    of(work, Term::chain) = static_cast<double>(rounds.longest);
}

void csr_vector_work(const MatrixFeatures& f, Work& work) {
    add_rounds(f, vector_shape(f.row_rounds, kVectorFlights, {}), work);
}

/// A thread a row: lanes of a warp wait for the longest of theirs.
void csr_scalar_work(const MatrixFeatures& f, Work& work) {
    of(work, Term::chain) = static_cast<double>(f.longest_row);
}

/// Large roads: neighbouring threads then read neighbouring nonzeros. On 5 nonzeros a row csr-vector is 1.2 x as fast,
/// on 2 it takes 1.3 to 1.4 of the time; of roads in the cache `sell` takes 0.81 to 0.91 in a graph. And where hardly a
/// row has a nonzero, in float64, which `sell` is slower for: csr-merge takes 1.05 to 1.74 of the time.
bool suits_csr_scalar(const MatrixFeatures& f) {
    const bool is_large_road = f.nnz >= 1'000'000 && f.mean_row >= 1 && f.mean_row <= 4;
    const bool is_hypersparse = f.mean_row < 0.6 && f.value_bytes == 8;
    return (is_large_road || is_hypersparse) && f.longest_row <= 8;
}

void csr_omp_work(const MatrixFeatures& f, Work& work) {
    if (is_in_cpu_cache(f)) of(work, Term::rows) = rows_of(f) * (1 - f.empty_rows);
}

}  // namespace

KnownOperator known_of_csr_merge() {
    return {.name = "csr-merge",
            .candidates = {{.matrix_bytes = csr_bytes, .adapt = shared_row_work}},
            .costs = {
                {"csr-merge", 8, {3.3e-7, 0.86, 5.2e-13, 5.3e-12, 2.2e-12, 1.0e-7}, {4.4e-5, 2.6e-10, 2e-10, 0}},
                {"csr-merge", 4, {8.4e-7, 0.70, 5.2e-13, 4.2e-12, 2.2e-12, 1e-7}, {4.4e-5, 1.8e-10, 2e-10, 0}, 4},
            }};
}

KnownOperator known_of_csr_vector() {
    return {.name = "csr-vector",
            .candidates = {{.matrix_bytes = csr_bytes, .adapt = csr_vector_work, .suits = suits_csr_vector}},
            .costs = {
                {"csr-vector", 8, {1.7e-7, 0.99, 0, 4.5e-12, 5.1e-12, 5e-8}, {6.6e-5, 2.6e-10, 3e-10, 0}},
                {"csr-vector", 4, {1.7e-7, 0.99, 0, 4.5e-12, 5.5e-12, 4.6e-8}, {6.6e-5, 1.8e-10, 3e-10, 0}},
                {"csr-vector", 4, {1.7e-7, 0.99, 0, 5.9e-12, 4.5e-12, 4.6e-8}, {6.6e-5, 1.8e-10, 3e-10, 0}, 4},
            }};
}

KnownOperator known_of_csr_scalar() {
    return {.name = "csr-scalar",
            .candidates = {{.matrix_bytes = csr_bytes, .adapt = csr_scalar_work, .suits = suits_csr_scalar}},
            .costs = {
                {"csr-scalar", 8, {1.0e-7, 0.90, 0, 4.5e-12, 0, 3e-8}, {6.6e-5, 2.6e-10, 3e-10, 0}},
                {"csr-scalar", 4, {2.5e-7, 0.50, 0, 6.8e-12, 0, 2.6e-8}, {6.6e-5, 1.8e-10, 3e-10, 0}},
                {"csr-scalar", 4, {2.4e-7, 0.50, 0, 7.5e-12, 0, 1.6e-8}, {6.6e-5, 1.8e-10, 3e-10, 0}, 4},
            }};
}

KnownOperator known_of_csr_omp() {
    return {.name = "csr-omp",
            .candidates = {{.matrix_bytes = bytes_as_csr, .adapt = csr_omp_work}},
            .without_avx512 = {1.25, 1.25, 1},
            .costs = {
                {"csr-omp", 8, {0, 0, 1.9e-10, 2.5e-11, 8.2e-10, 0}, {2.1e-5, 2.1e-11, 2.6e-10, 0}, 8, kNear},
                {"csr-omp", 8, {0, 9.8e-12, 8.2e-11, 2.7e-11, 8.2e-10, 0}, {2.6e-5, 0, 3.5e-10, 0}, 8, kCached},
                {"csr-omp", 8, {0, 2.50e-11, 0, 5.6e-10, 1.62e-9, 0}, {1e-5, 0, 1e-10, 0}},
                {"csr-omp", 4, {0, 0, 1.8e-10, 3.7e-11, 6e-10, 0}, {2.1e-5, 3.5e-12, 2.1e-10, 0}, 8, kNear},
                {"csr-omp", 4, {0, 2.4e-11, 0, 3.1e-11, 2.6e-10, 0}, {2.9e-5, 0, 2.5e-10, 0}, 8, kCached},
                {"csr-omp", 4, {0, 4.6e-11, 0, 1.7e-10, 8.7e-10, 0}, {1e-5, 0, 2.3e-10, 0}},
            }};
}

}  // namespace tilespmv
