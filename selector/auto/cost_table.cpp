#include "selector/auto/cost_table.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "tile/error.hpp"

namespace tilespmv {
namespace {

double nnz_of(const MatrixFeatures& f) { return static_cast<double>(f.nnz); }
double rows_of(const MatrixFeatures& f) { return static_cast<double>(f.rows); }
double value_of(const MatrixFeatures& f) { return static_cast<double>(f.value_bytes); }
double& of(Work& work, Term term) { return work[static_cast<std::size_t>(term)]; }

double csr_bytes(const MatrixFeatures& f) {
    const double row_ptr = nnz_of(f) < 0x1p31 ? 4 : 8;
    return row_ptr * rows_of(f) + (4 + value_of(f)) * nnz_of(f);
}
/// A row has 2 bytes in its block, a block of 512 nonzeros has 32.
double csr16_bytes(const MatrixFeatures& f) {
    const double code = 2 * f.narrow_share + 4 * (1 - f.narrow_share);
    return 2 * rows_of(f) + (code + value_of(f) + 32.0 / 512) * nnz_of(f);
}
double csr_adaptive_bytes(const MatrixFeatures& f) { return csr_bytes(f) + 32.0 / 512 * nnz_of(f); }
/// A tile of 32 x sigma nonzeros has a descriptor of 36 bits a lane.
double csr5_bytes(const MatrixFeatures& f) {
    const int sigma = cuda::csr5_sigma(f.rows, f.nnz);
    return (4 + value_of(f) + 4.5 / sigma) * nnz_of(f);
}
double ell_places(const MatrixFeatures& f) { return static_cast<double>(f.longest_row) * rows_of(f); }
double ell_bytes(const MatrixFeatures& f) { return (4 + value_of(f)) * ell_places(f); }

/// The rounds of the threads that csr-vector chooses, in full ones of a warp, and those of the longest row.
void csr_vector_work(const MatrixFeatures& f, Work& work) {
    const cuda::VectorTuning tuning;
    const int threads = cuda::threads_per_row(f.row_rounds, tuning);
    const auto chosen = std::ranges::find(f.row_rounds, threads, &cuda::RowRounds::threads);
    const double lanes =
        static_cast<double>(tuning.request_time + threads) / static_cast<double>(tuning.request_time + 32);
    of(work, Term::rows) = static_cast<double>(chosen->all) * lanes;
    of(work, Term::chain) = static_cast<double>(chosen->longest);
}
void ell_work(const MatrixFeatures& f, Work& work) {
    of(work, Term::nonzeros) = ell_places(f);
    of(work, Term::chain) = static_cast<double>(f.longest_row);
}
/// Even rows: ELL is refused long after it has ceased to pay.
bool suits_ell(const MatrixFeatures& f) { return f.nnz > 0 && ell_places(f) <= 1.5 * nnz_of(f); }

constexpr std::array kGpuCandidates{
    Candidate{.name = "csr16", .matrix_bytes = csr16_bytes},
    Candidate{.name = "csr-merge", .matrix_bytes = csr_bytes},
    Candidate{.name = "csr-adaptive", .matrix_bytes = csr_adaptive_bytes},
    Candidate{.name = "csr-vector", .matrix_bytes = csr_bytes, .adapt = csr_vector_work},
    Candidate{.name = "csr5", .matrix_bytes = csr5_bytes},
    Candidate{
        .name = "ell", .options = "updatable=1", .matrix_bytes = ell_bytes, .adapt = ell_work, .suits = suits_ell},
};

/// Fitted by `bench/fit_auto.py` to every other one of the 102 matrices for which `bench/RESULTS.md` has float64 times;
/// how near the others are is in `bench/NOTES.md`, "auto". No cost of memory is less than 0.8, so that fewer bytes of a
/// value count; with that, csr16 is within 0.80 and 1.30 of its times in float32 and float16, in which no other
/// operator was measured. ell was measured on two matrices, both beyond the L2 cache; its costs of launch and chain are
/// guessed. Preparation is fitted to the eleven classes; 30 us in any case are from one matrix of 92,000 nonzeros.
constexpr std::array kGpuCosts{
    Cost{"csr16", 8, {1.5e-6, 0.80, 6.2e-13, 5.0e-12, 0, 0}, {3e-5, 1.50e-9, 1.35e-9, 0}},
    Cost{"csr-merge", 8, {1.1e-6, 0.80, 7.5e-13, 5.1e-12, 8.4e-13, 0}, {3e-5, 1.39e-9, 1.20e-9, 0}},
    Cost{"csr-adaptive", 8, {1.4e-6, 0.80, 5.7e-13, 5.0e-12, 2.8e-13, 0}, {3e-5, 1.51e-9, 1.18e-9, 0}},
    Cost{"csr-vector", 8, {0, 0.80, 6.0e-13, 3.7e-12, 4.7e-12, 4.2e-7}, {3e-5, 1.39e-9, 1.20e-9, 0}},
    Cost{"csr5", 8, {2.2e-6, 0.81, 2.0e-12, 3.3e-12, 0, 0}, {7.7e-5, 1.87e-9, 2.50e-10, 0}},
    Cost{"ell", 8, {1.1e-6, 1.05, 0, 5.0e-12, 0, 1e-7}, {7.7e-5, 1.87e-9, 2.50e-10, 0}},
};

/// Row pointers have 8 bytes on the CPU.
double csr_omp_bytes(const MatrixFeatures& f) { return 8 * rows_of(f) + (4 + value_of(f)) * nnz_of(f); }
/// By the selector `bytes`: about 15 bytes for a tile and half a byte for a nonzero, until that is more than CSR takes.
double bytes_in_tiles(const MatrixFeatures& f) {
    const double tiles = f.tile_nonzeros > 0 ? nnz_of(f) / f.tile_nonzeros : 0;
    return (value_of(f) + 0.5) * nnz_of(f) + 15 * tiles;
}
double tile_omp_bytes(const MatrixFeatures& f) { return std::min(csr_omp_bytes(f), bytes_in_tiles(f)); }
/// Elsewhere nearly all is left to CSR, and the conversion buys nothing.
bool suits_tile_omp(const MatrixFeatures& f) { return f.nnz > 0 && bytes_in_tiles(f) < csr_omp_bytes(f); }

constexpr std::array kCpuCandidates{
    Candidate{.name = "csr-omp", .matrix_bytes = csr_omp_bytes},
    Candidate{.name = "tile-omp", .is_made_from_tiles = true, .matrix_bytes = tile_omp_bytes, .suits = suits_tile_omp},
};

/// Fitted to the geometric means of an EPYC and a Xeon on the 17 matrices of "On the CPU" in `bench/RESULTS.md`, of
/// about 36 million nonzeros each; none was held out, and none lies in a cache.
constexpr std::array kCpuCosts{
    Cost{"csr-omp", 8, {0, 2.50e-11, 0, 5.6e-10, 1.62e-9, 0}, {1e-5, 0, 1e-10, 0}},
    Cost{"tile-omp", 8, {0, 2.27e-11, 0, 5.4e-10, 1.84e-9, 0}, {1e-5, 2.2e-9, 3.3e-8, 8.4e-9}},
};

}  // namespace

const CostTable& gpu_costs() {
    static const CostTable table{"NVIDIA H200", "bench/NOTES.md, \"auto\"", kGpuCandidates, kGpuCosts};
    return table;
}

const CostTable& cpu_costs() {
    static const CostTable table{"two threads of an EPYC and a Xeon", "bench/NOTES.md, \"auto\"", kCpuCandidates,
                                 kCpuCosts};
    return table;
}

const Cost& cost_of(const CostTable& table, std::string_view name, std::size_t value_bytes) {
    const Cost* nearest = nullptr;
    const auto distance = [&](const Cost& cost) {
        return std::abs(std::log2(static_cast<double>(cost.value_bytes)) - std::log2(static_cast<double>(value_bytes)));
    };
    for (const Cost& cost : table.costs) {
        if (cost.name == name && (nearest == nullptr || distance(cost) < distance(*nearest))) nearest = &cost;
    }
    if (nearest != nullptr) return *nearest;
    throw Error(
        fmt::format("no costs of operator {} on {}: add them to selector/auto/cost_table.cpp", name, table.machine));
}

}  // namespace tilespmv
