#pragma once

#include <optional>
#include <string>
#include <vector>

#include "bench/harness/device.hpp"
#include "bench/harness/result_file.hpp"
#include "kernels/operator.hpp"
#include "tools/options/source.hpp"

namespace tilespmv::tools {

/// What `tilespmv bench` was asked for, or what another command asks of it.
struct BenchOptions {
    std::vector<std::string> sources;
    std::string suite;
    std::vector<std::string> operators;            ///< empty: all that are not `only_if_named`
    std::vector<std::string> more_operators = {};  ///< besides these
    std::vector<std::string> selectors;
    std::vector<std::string> values;
    std::optional<Accumulator> accumulator;
    std::vector<std::string> modes;      ///< by their names; empty: warm and cold
    std::vector<std::string> baselines;  ///< empty: csr-omp, on a GPU the best of cuSPARSE and its best CSR
    std::vector<int> columns{1};         ///< multiplied at once, a case each
    std::string layout = "col";          ///< of several: "col" or "row"
    bool is_transposed = false;
    PatternValues pattern_values = PatternValues::random;
    std::optional<double> min_seconds;
    std::optional<double> max_seconds;
    std::optional<double> noise_percent;
    bool quick = false;
    bool restart = false;
    std::string json;
    std::string csv;
};

/// Measures, prints a table as soon as a matrix is done, keeps results in the file of --json, which nobody
/// else may write to meanwhile. Returns the cases asked for, whenever they were measured. Throws a usage `Error` for
/// wrong names before anything is measured; a case that goes wrong says so in its result.
bench::ResultSet measure_cases(BenchOptions options, bench::Device& device);

/// The same; at the end throws a `verification` error if any result was wrong, otherwise a `failure` if any case
/// failed.
void run_bench(BenchOptions options, bench::Device& device);

}  // namespace tilespmv::tools
