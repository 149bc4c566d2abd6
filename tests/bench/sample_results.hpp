#pragma once

#include <string>
#include <vector>

#include "bench/harness/result_file.hpp"

namespace tilespmv::bench {

inline Machine sample_machine() {
    return {.cpu = "Z80",
            .vectors = "",
            .system = "CP/M",
            .cores = 1,
            .hardware_threads = 2,
            .memory_bytes = 65536,
            .cache_bytes = 4,
            .gpu = {.name = "TMS9918", .memory_bytes = 16384, .l2_bytes = 8, .driver = 13000, .runtime = 12080}};
}
inline Build sample_build() { return {.version = "1.0", .revision = "abc", .compiler = "cc 7", .type = "Release"}; }

/// A right result of a 4 x 5 matrix of 10 nonzeros with these warm times.
inline Result sample_result(const std::string& matrix, std::vector<double> seconds) {
    Result r;
    r.id = {.matrix = matrix,
            .operator_name = "tile-omp",
            .selector = "bytes",
            .values = "float64",
            .accumulator = "float64",
            .device = "cpu",
            .threads = 2};
    r.status = Status::ok;
    r.error_ratio = 0.25;
    r.rows = 4;
    r.cols = 5;
    r.nnz = 10;
    r.row_variation = 0.5;
    r.value_bytes = 8;
    r.stored = {.formats = {{"coo", 2, 7, 79}, {"deferred", 0, 3, 56}}, .bytes = 163, .published_bytes = 149};
    r.executed = {{"tiles", "coo", 1, 7, 60}, {"csr", "deferred", 1, 3, 40}};
    r.matrix_bytes = 100;
    r.device_bytes = 128;
    r.product_bytes = 172;
    r.cache_bytes = 171;
    r.bandwidth = {.read = 344, .copy = 200};
    r.warm = {.seconds = std::move(seconds), .batch = 3, .converged = true};
    r.cold = {.seconds = {4, 6, 5}, .batch = 1};
    r.preprocess = {.seconds = {7, 9}, .batch = 1};
    r.first_seconds = 6;
    r.convert_seconds = 5;
    r.preprocess_products = 8;
    r.speedups = {{.baseline = "csr-omp", .against = "csr-omp", .median = 1.5, .low = 1.25, .high = 1.75}};
    return r;
}

}  // namespace tilespmv::bench
