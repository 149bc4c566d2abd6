#pragma once

#include <algorithm>
#include <cmath>

#include "selector/auto/cost_table.hpp"
#include "selector/tuning.hpp"
#include "tile/types.hpp"

/// Of what operators say of their work.
namespace tilespmv {

/// A launch choice that tells one kernel of an operator from another.
inline constexpr double kOtherKernel = 2;
inline constexpr int kWarpLanes = 32;

inline double nnz_of(const MatrixFeatures& f) { return static_cast<double>(f.nnz); }
inline double rows_of(const MatrixFeatures& f) { return static_cast<double>(f.rows); }
inline double value_of(const MatrixFeatures& f) { return static_cast<double>(f.value_bytes); }
inline double tile_rows_of(const MatrixFeatures& f) { return std::ceil(rows_of(f) / kTileSize); }
inline double csr_bytes(const MatrixFeatures& f) {
    const double row_ptr = nnz_of(f) < 0x1p31 ? 4 : 8;
    return row_ptr * rows_of(f) + (4 + value_of(f)) * nnz_of(f);
}
inline double coo_bytes(const MatrixFeatures& f) { return (8 + value_of(f)) * nnz_of(f); }

inline bool is_in_cpu_cache(const MatrixFeatures& f) { return bytes_in_csr(f) <= kCached; }
/// On a CPU a product of fewer takes a microsecond or two as CSR.
inline bool is_worth_converting(const MatrixFeatures& f) { return f.nnz >= 5'000; }
/// On a CPU padding pays in its cache alone.
inline bool may_pad(const MatrixFeatures& f) { return is_worth_converting(f) && is_in_cpu_cache(f); }

/// The GPU by whose times choices are predicted.
inline Gpu gpu_of(const MatrixFeatures& f) { return measured_gpu(f.value_bytes); }

/// Where blocks of about 512 nonzeros, of fewer on small matrices, share the longest row: the steps of a sum over them.
/// Costs were fitted with this; some operators have had longer pieces since.
inline void shared_row_work(const MatrixFeatures& f, Work& work) {
    const double block = std::clamp(nnz_of(f) / (16 * 132), 128.0, 512.0);
    const double pieces = static_cast<double>(f.longest_row) / block;
    of(work, Term::chain) = pieces > 1 ? 1 + std::log2(pieces) : 0;
}

/// Warps of a product over those that the GPU holds at a time, `resident` for each multiprocessor.
inline double waves_of(const MatrixFeatures& f, double warps, int resident) {
    return warps / (static_cast<double>(gpu_of(f).multiprocessors) * resident);
}

/// Of kernels that let as many threads as fit take turns, some for each row.
inline double thread_waves(const MatrixFeatures& f, int threads_of_row) {
    constexpr int kMostWarps = 64;
    return waves_of(f, static_cast<double>(f.rows) * threads_of_row / kWarpLanes, kMostWarps);
}
inline double row_waves(const MatrixFeatures& f) { return thread_waves(f, 1); }

/// A library's or a published operator, which is never chosen.
inline KnownOperator baseline(std::string_view name, double (*bytes)(const MatrixFeatures& f) = csr_bytes) {
    return {.name = name, .candidates = {{.ranked_by = RankedBy::none, .matrix_bytes = bytes}}};
}

}  // namespace tilespmv
