#pragma once

#include <optional>
#include <string>
#include <vector>

#include "bench/harness/device.hpp"
#include "kernels/accumulator.hpp"

namespace tilespmv::tools {

/// What `tilespmv bench` was asked for.
struct BenchOptions {
    std::vector<std::string> sources;
    std::string suite;
    std::vector<std::string> operators;
    std::vector<std::string> selectors;
    std::vector<std::string> values;
    std::optional<Accumulator> accumulator;
    std::vector<std::string> baselines;  ///< empty: csr-omp, on a GPU the best of cuSPARSE and its best CSR
    std::optional<double> min_seconds;
    std::optional<double> max_seconds;
    std::optional<double> noise_percent;
    bool quick = false;
    bool restart = false;
    std::string json;
    std::string csv;
};

/// Measures, prints a table as soon as a matrix is done, keeps results in the file of --json, which nobody
/// else may write to meanwhile. Throws a usage `Error`
/// for wrong names before anything is measured; at the end a `verification` error if any result was wrong, otherwise a
/// `failure` if any case failed.
void run_bench(BenchOptions options, bench::Device& device);

}  // namespace tilespmv::tools
