#pragma once

#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "bench/harness/device.hpp"
#include "bench/harness/product.hpp"
#include "bench/harness/result.hpp"
#include "bench/harness/sampling.hpp"

namespace tilespmv::bench {

struct MeasureOptions {
    std::vector<Mode> modes{Mode::warm, Mode::cold};  ///< warm products are always measured
    StoppingRule warm;                                ///< of all modes but cold
    StoppingRule cold{.min_samples = 6, .max_samples = 30, .min_seconds = 0, .max_seconds = 3, .noise = 0.05};
    StoppingRule preprocess{
        .min_samples = 6, .max_samples = 50, .min_seconds = 0, .max_seconds = 1, .noise = 0.05, .together = false};
    double min_sample_seconds = 1e-3;  ///< of a sample, but of a cold one; shorter products are measured in batches
    /// What speed-ups are given over, if it takes part; preprocessing is given in products of the first. A baseline is
    /// the fastest of the operators that its name stands for (`stands_for`).
    std::vector<std::string> baselines{"csr-omp"};
    std::function<void(std::string_view stage)> progress = [](std::string_view) {};
};

/// One case on its way to its result, whatever its value type and device.
struct Contender {
    Result result;  ///< begins with its id and the shape of the matrix
    ProductBuilder build;
    Device* device = nullptr;
    std::unique_ptr<Product> product = nullptr;  ///< none before it is built and after it failed

    /// Ends with what is in the way instead of times.
    void fail(Status status, const std::string& error);
};

/// Whether a baseline stands for an operator: its specification, or the beginning of it up to a ':' or, unless it is
/// the name of an operator, a '-'. "cusparse-csr" stands for "cusparse-csr:alg=1", "cusparse" also for "cusparse-sell".
bool stands_for(std::string_view baseline, std::string_view operator_name);

/// Whether a mode needs the scales of a chain of dependent products (`chain_scales`) of this matrix.
bool needs_chain_scales(const MeasureOptions& options, index_t rows, index_t cols);

/// Builds and checks every contender against the oracle, then measures the right ones in turn: products in each mode,
/// and building. Whatever y they end with is checked once more. `scales`: those of the matrix if it
/// `needs_chain_scales`. Nothing is thrown: a contender that goes wrong ends with its error, one that refuses the
/// matrix is skipped, and the others go on.
void run_contest(std::span<Contender> contenders, const ExpectedProduct& expected, std::span<const double> scales,
                 const MeasureOptions& options);

}  // namespace tilespmv::bench
