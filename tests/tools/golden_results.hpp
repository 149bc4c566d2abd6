#pragma once

#include <limits>
#include <string>
#include <vector>

#include "bench/harness/result_file.hpp"

namespace tilespmv::test {

/// A right result whose warm times have the median `seconds`; `scale` sets its other figures apart from those of
/// others.
inline bench::Result golden_result(const std::string& matrix, offset_t nnz, const std::string& operator_name,
                                   const std::string& selector, double seconds, int scale) {
    bench::Result r;
    r.id = {.matrix = matrix,
            .operator_name = operator_name,
            .selector = selector,
            .values = "float64",
            .accumulator = "float64",
            .device = "cpu",
            .threads = 8};
    r.status = bench::Status::ok;
    r.error_ratio = 0.125 / scale;
    r.rows = 1'000 * scale;
    r.cols = 1'001 * scale;
    r.nnz = nnz;
    r.row_variation = 0.25 * scale;
    r.value_bytes = 8;
    if (!selector.empty()) {
        r.stored = {.formats = {{"coo", 11 * scale, nnz / 4, 3 * nnz}, {"ell", 7 * scale, nnz - nnz / 4, 6 * nnz}},
                    .bytes = 9 * nnz + 28 * scale,
                    .published_bytes = 10 * nnz + 8 * scale};
        r.executed = {{"tiles", "coo", 3, nnz / 4, 300}, {"tiles", "ell", 5, nnz - nnz / 4, 500}};
    } else {
        r.executed = {{"csr", "", 9, nnz, 900}};
    }
    r.matrix_bytes = static_cast<std::uint64_t>(9 * nnz);
    r.device_bytes = static_cast<std::uint64_t>(10 * nnz);
    r.product_bytes = r.matrix_bytes + static_cast<std::uint64_t>(16'008 * scale);
    r.cache_bytes = 32'000'000;
    r.bandwidth = {.read = 128e9, .copy = 100.5e9};
    for (const double factor : {1.0, 0.96875, 1.0625, 1.0, 1.03125, 0.984375, 1.0, 0.9375})
        r.warm.seconds.push_back(seconds * factor);
    r.warm.batch = 2 * scale;
    r.warm.converged = true;
    r.cold = {.seconds = {4 * seconds, 2 * seconds, 3 * seconds}, .batch = 1, .converged = true};
    r.preprocess = {.seconds = {16 * seconds, 32 * seconds}, .batch = 1};
    r.first_seconds = 5 * seconds;
    r.convert_seconds = selector.empty() ? 0 : 12 * seconds;
    r.preprocess_products = 24.25 * scale;
    return r;
}

inline bench::Result with_speedup(bench::Result r, const std::string& baseline, const std::string& against,
                                  double median, double half_width = 0.01) {
    r.speedups.push_back({.baseline = baseline,
                          .against = against,
                          .median = median,
                          .low = median - half_width,
                          .high = median + half_width});
    return r;
}

inline bench::Result golden_failure(bench::Status status, const std::string& matrix, const std::string& operator_name,
                                    const std::string& selector, const std::string& error) {
    bench::Result r;
    r.id = golden_result(matrix, 1, operator_name, selector, 1, 1).id;
    r.status = status;
    r.error = error;
    r.error_ratio = status == bench::Status::wrong ? std::numeric_limits<double>::infinity() : 0;
    return r;
}

inline bench::Machine golden_machine() {
    return {.cpu = "Some CPU",
            .vectors = "",
            .system = "Some OS 1.2",
            .cores = 4,
            .hardware_threads = 8,
            .memory_bytes = 16'000'000'000,
            .cache_bytes = 32'000'000,
            .gpu = {}};
}

inline bench::Build golden_build() {
    return {.version = "1.2.3", .revision = "0123456789ab", .compiler = "Some compiler 12", .type = "Release"};
}

/// Matrices on either side of a million and of ten million nonzeros; tiles by two selectors against csr-omp; every mark
/// that tables know, a wrong result and a failed one.
inline bench::ResultSet golden_results() {
    bench::ResultSet set{golden_machine(), golden_build(), {}};
    const auto put = [&](bench::Result r) { set.put(std::move(r)); };
    struct Case {
        const char* matrix;
        offset_t nnz;
        double bytes;  ///< speed-ups by selector
        double paper;
        double paper_time;  ///< in units of that of csr-omp
    };
    int scale = 1;
    for (const auto& [matrix, nnz, bytes, paper, paper_time] : {Case{"small.mtx", 999'999, 2, 0.5, 2},
                                                                {"folder/million.mtx.gz", 1'000'000, 4, 0.9524, 1.0625},
                                                                {"ten.tsp", 10'000'000, 1, 0.9523, 1.0625},
                                                                {"gen:laplace2d:n=1500", 10'000'001, 0.25, 8, 0.125}}) {
        const double seconds = 0.001953125 * scale;
        put(with_speedup(golden_result(matrix, nnz, "csr-omp", "", seconds, scale), "csr-omp", "csr-omp", 1, 0));
        put(with_speedup(golden_result(matrix, nnz, "tile-omp", "bytes", seconds / bytes, scale + 1), "csr-omp",
                         "csr-omp", bytes, 0.0078125));
        put(with_speedup(golden_result(matrix, nnz, "tile-omp", "paper:coo=3,ell=0.5", seconds * paper_time, scale + 2),
                         "csr-omp", "csr-omp", paper, 0.25));
        scale += 3;
    }
    set.results[2].warm.converged = false;
    set.results[8].speedups[0].low = -std::numeric_limits<double>::infinity();
    set.results[8].speedups[0].high = std::numeric_limits<double>::infinity();
    put(golden_result("broken \"one\".mtx", 77, "csr-omp", "", 1, 1));
    put(golden_failure(bench::Status::wrong, "broken \"one\".mtx", "tile-omp", "bytes",
                       "wrong: row 3 is 7, expected 8, error 9 times its bound"));
    put(golden_failure(bench::Status::failed, "broken \"one\".mtx", "tile-omp", "paper:coo=3,ell=0.5",
                       "out of memory: 5 bytes are needed"));
    put(golden_failure(bench::Status::failed, "missing.mtx", "csr-omp", "", "missing.mtx: cannot be read"));
    put(golden_failure(bench::Status::failed, "missing.mtx", "tile-omp", "bytes", "missing.mtx: cannot be read"));
    return set;
}

/// On a GPU, in two value types: a library whose members stand for a baseline, operators that mix representations.
inline bench::ResultSet golden_gpu_results() {
    bench::ResultSet set{golden_machine(), golden_build(), {}};
    set.machine.gpu = {
        .name = "Some GPU", .memory_bytes = 80'000'000'000, .l2_bytes = 50'000'000, .driver = 13000, .runtime = 12080};
    int scale = 1;
    for (const char* values : {"float64", "float32"}) {
        for (const char* matrix : {"one.mtx", "two.mtx"}) {
            const auto put = [&](bench::Result r, double sell, double csr) {
                r.id.values = values;
                r.id.accumulator = scale % 2 == 0 ? "float32" : "float64";
                r.id.device = "Some GPU";
                r.id.threads = 1;
                r = with_speedup(std::move(r), "cusparse", "cusparse-sell:slice=32", sell, 0.02);
                set.put(with_speedup(std::move(r), "cusparse-csr", "cusparse-csr:alg=2", csr, 0.1));
                ++scale;
            };
            put(golden_result(matrix, 123'456, "cusparse-csr:alg=1", "", 0x1p-11, scale), 0.5, 0.75);
            put(golden_result(matrix, 123'456, "cusparse-csr:alg=2", "", 0x1.8p-12, scale), 0.625, 1);
            put(golden_result(matrix, 123'456, "cusparse-sell:slice=32", "", 0x1p-12, scale), 1, 1.5);
            auto tile = golden_result(matrix, 123'456, "tile", "bytes", 0x1p-13, scale);
            tile.executed = {{"tiles", "dense", 2, 100, 1},
                             {"strip", "", 4, 123'000, 1},
                             {"tiles", "coo", 1, 56, 1},
                             {"csr", "deferred", 1, 300, 1}};
            put(tile, 2, 3);
        }
    }
    return set;
}

/// Those of one value type on a GPU in every mode; the second matrix is square.
inline bench::ResultSet golden_mode_results() {
    bench::ResultSet set = golden_gpu_results();
    set.results.resize(8);
    for (std::size_t i = 0; i < set.results.size(); ++i) {
        auto& r = set.results[i];
        if (i >= 4) r.cols = r.rows;
        double seconds = r.warm.seconds[0];
        for (const bench::Mode mode : {bench::Mode::graph, bench::Mode::chain, bench::Mode::axpy}) {
            seconds *= 1.25;
            auto& times = timing(r, mode);
            times = {.seconds = {seconds, seconds, seconds, 1.5 * seconds}, .batch = 20, .converged = i != 2};
            const double speedup = (mode == bench::Mode::axpy ? 0x1p-12 : 0x1p-11) / r.warm.seconds[0];
            r.speedups.push_back({.baseline = "cusparse",
                                  .against = "cusparse-csr:alg=1",
                                  .median = speedup,
                                  .low = speedup - 0.25 * static_cast<double>(i == 3),
                                  .high = speedup,
                                  .mode = mode});
        }
    }
    return set;
}

}  // namespace tilespmv::test
