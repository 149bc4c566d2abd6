#pragma once

#include <algorithm>
#include <cmath>

#include "selector/auto/cost_table.hpp"
#include "selector/tuning.hpp"
#include "tile/types.hpp"

/// Of what operators say of their work.
namespace tilespmv {

inline double nnz_of(const MatrixFeatures& f) { return static_cast<double>(f.nnz); }
inline double rows_of(const MatrixFeatures& f) { return static_cast<double>(f.rows); }
inline double value_of(const MatrixFeatures& f) { return static_cast<double>(f.value_bytes); }
inline double tile_rows_of(const MatrixFeatures& f) { return std::ceil(rows_of(f) / kTileSize); }
inline double csr_bytes(const MatrixFeatures& f) {
    const double row_ptr = nnz_of(f) < 0x1p31 ? 4 : 8;
    return row_ptr * rows_of(f) + (4 + value_of(f)) * nnz_of(f);
}

inline bool is_in_cpu_cache(const MatrixFeatures& f) { return bytes_in_csr(f) <= kCached; }
/// On a CPU a product of fewer takes a microsecond or two as CSR.
inline bool is_worth_converting(const MatrixFeatures& f) { return f.nnz >= 5'000; }
/// On a CPU padding pays in its cache alone, and where rows are so short that csr-omp has most lanes of a vector empty.
inline bool may_pad(const MatrixFeatures& f, double most_of_row) {
    return is_worth_converting(f) && is_in_cpu_cache(f) && f.mean_row <= most_of_row;
}

/// The GPU by whose times choices are predicted.
inline Gpu gpu_of(const MatrixFeatures& f) { return measured_gpu(f.value_bytes); }

/// Where blocks of about 512 nonzeros, of fewer on small matrices, share the longest row: the steps of a sum over them.
/// Costs were fitted with this; some operators have had longer pieces since.
inline void shared_row_work(const MatrixFeatures& f, Work& work) {
    const double block = std::clamp(nnz_of(f) / (16 * 132), 128.0, 512.0);
    const double pieces = static_cast<double>(f.longest_row) / block;
    of(work, Term::chain) = pieces > 1 ? 1 + std::log2(pieces) : 0;
}

}  // namespace tilespmv
