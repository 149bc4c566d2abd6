#pragma once

#include <string>
#include <vector>

#include "bench/harness/experiment.hpp"
#include "tools/bench/run.hpp"

namespace tilespmv::tools {

/// Adds what a suite holds and the defaults of what was not asked for; what of a suite is left out on a CPU is said on
/// stderr. Throws a usage `Error` if there is no matrix, or an unknown suite, and where none of the operators that a
/// suite is for can run, an `unavailable` one without a GPU.
void complete(BenchOptions& options, Backend backend);

/// The value types that a source is measured in.
std::vector<std::string> value_types(const BenchOptions& options, const std::string& source);

/// Every operator of the benchmark with every selector that it can have.
template <Value V>
std::vector<bench::Candidate<V>> candidates(const BenchOptions& options, bench::Device& device,
                                            const bench::ProductKind& kind);

/// A kind for each number of columns.
std::vector<bench::ProductKind> product_kinds(const BenchOptions& options);

/// Throws a usage `Error` for what can be known to be wrong before anything is measured: names, selectors, options of
/// operators, accumulators.
void check_plan(const BenchOptions& options, bench::Device& device);

}  // namespace tilespmv::tools
