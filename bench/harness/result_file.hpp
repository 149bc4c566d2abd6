#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "bench/harness/machine.hpp"
#include "bench/harness/result.hpp"

namespace tilespmv::bench {

/// The results of one build on one machine, as a result file holds them: a JSON object of
///
///     format   "tilespmv-bench"
///     version  1; a file of a higher one is refused
///     machine  cpu, vectors, system, cores, hardware_threads, memory_bytes, cache_bytes, gpu (name, memory_bytes,
///              l2_bytes, driver, runtime; name is empty without a GPU)
///     build    version, revision, compiler, type
///     results  one object for each case:
///         case        matrix, operator, selector, values, accumulator, device, threads: what tells cases apart
///         status      "ok", "wrong", "failed" or "skipped" (the operator does not suit the matrix); error says why
///         warm, cold, graph, chain, axpy, preprocess (if ok; the modes that were measured)
///                     seconds: raw times per product in the order they were taken; batch: products in a sample;
///                     converged. axpy holds the time of an axpy and a product, and so do graph and chain if the matrix
///                     is not square
///         speedups    baseline, against (the case that stood for it), median, low, high (null: unbounded), mode
///                     (what was timed of both)
///         formats     name, tiles, nnz, bytes of each format that holds tiles, and of the "deferred" part
///         tiled_bytes, published_bytes
///                     of the tiles as stored, and of the same tiles in the layout published for TileSpMV; 0 without
///                     tiles
///         executed    representation, format, tile_rows, nnz, bytes of each part that a product multiplies in the same
///                     way (`ExecutedPart`)
///         derived     medians, rates and shares that follow from the rest (if ok); not read back
///         pattern_values
///                     what the entries of a file without values were, "random" or "ones"; missing if it has values
///         and rows, cols, nnz, row_variation, value_bytes, matrix_bytes, device_bytes, product_bytes, cache_bytes,
///         bandwidth (read, copy in bytes per second), error_ratio, first_seconds, convert_seconds,
///         preprocess_products
struct ResultSet {
    Machine machine;
    Build build;
    std::vector<Result> results;  ///< in the order in which they were measured

    /// The result of a case, null if there is none.
    [[nodiscard]] const Result* find(const CaseId& id) const;
    /// Whether a case needs no measuring: it was measured and was right, or skipped. One that failed is tried again.
    [[nodiscard]] bool finished(const CaseId& id) const;
    /// Adds a result or replaces the one of the same case.
    void put(Result result);
};

/// Throws `Error` (one line) for a file that cannot be read, is no result file, or is one of another version.
ResultSet read_results(const std::filesystem::path& file);

/// The text of a result file.
std::string results_json(const ResultSet& set);

/// Replaces the file as a whole. Throws `Error` if it cannot be written.
void write_results(const std::filesystem::path& file, const ResultSet& set);

/// The results to go on with: those of the file, or none if there is no such file. Throws `Error` if they were measured
/// on another machine or with another revision, for results in one file must be comparable.
ResultSet resume_results(const std::filesystem::path& file, const Machine& machine, const Build& build);

}  // namespace tilespmv::bench
