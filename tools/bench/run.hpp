#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "bench/harness/device.hpp"
#include "bench/harness/result_file.hpp"
#include "kernels/operator.hpp"
#include "tools/options/source.hpp"

namespace tilespmv::tools {

/// What `tilespmv bench` was asked for.
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
    bool is_from_gpu = false;  ///< preparation begins with CSR in the memory of the GPU
    PatternValues pattern_values = PatternValues::random;
    std::optional<double> min_seconds;
    std::optional<double> max_seconds;
    std::optional<double> noise_percent;
    bool quick = false;
    bool restart = false;
    std::string json;
    std::string csv;
};

/// Where operators of a backend are measured. Throws an `unavailable` error if there is no GPU that serves.
std::unique_ptr<bench::Device> make_device(Backend backend);

/// Measures, prints a table as soon as a matrix is done, keeps results in the file of --json, which nobody else may
/// write to meanwhile. Throws a usage `Error` for wrong names before anything is measured; a case that goes wrong says
/// so in its result. At the end throws a `verification` error if any result was wrong, otherwise a `failure` if any
/// case failed.
void run_bench(BenchOptions options, bench::Device& device);

}  // namespace tilespmv::tools
