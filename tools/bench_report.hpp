#pragma once

#include <span>
#include <string>
#include <vector>

#include "bench/harness/compare.hpp"
#include "bench/harness/result.hpp"

namespace tilespmv::tools {

/// What the results of one matrix and value type say: a line about the matrix, a row for each case, a line for each
/// error. Speed-ups are given over each of the baselines.
std::string results_text(std::span<const bench::Result> results, const std::vector<std::string>& baselines);

/// Geometric means of the speed-ups over a baseline by operator and selector, for matrices of less than a million
/// nonzeros, up to ten million, and more. Empty unless there are several matrices.
std::string summary_text(std::span<const bench::Result> results, const std::string& baseline);

/// What the marks in these results mean; empty if there are none.
std::string legend_text(std::span<const bench::Result> results);

/// A header and a row for each case; times in seconds.
std::string results_csv(std::span<const bench::Result> results, const std::vector<std::string>& baselines);

/// A row for each case, and how often each verdict was reached.
std::string comparison_text(std::span<const bench::Comparison> comparisons);

}  // namespace tilespmv::tools
