#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "bench/harness/result.hpp"
#include "bench/harness/suite.hpp"

namespace tilespmv::tools {

/// "ok", "WRONG" or "failed".
std::string_view status_name(bench::Status status);

/// What the results of one matrix and value type say: a line about the matrix, a row for each case, a line for each
/// baseline that is a group, and for each error. Speed-ups are given over each of the baselines. What a case executes
/// is given by shares of the nonzeros, the three largest.
std::string results_text(std::span<const bench::Result> results, const std::vector<std::string>& baselines);

/// Whether any of them has times of a mode.
bool is_measured(std::span<const bench::Result> results, bench::Mode mode);

/// What was measured of one matrix beside warm and cold products: a row for each right case; empty if there is nothing.
std::string mode_text(std::span<const bench::Result> results, const std::vector<std::string>& baselines);

/// The speed-ups over a baseline in a mode by operator, selector and value type: geometric mean, least, and how many
/// lose, for small, middle and large matrices and for all; and how many are not more than 5% slower than it. Empty
/// unless there are several matrices.
std::string summary_text(std::span<const bench::Result> results, const std::string& baseline,
                         bench::Mode mode = bench::Mode::warm, const bench::SizeGroups& sizes = {});

/// What the marks in these results mean; empty if there are none.
std::string legend_text(std::span<const bench::Result> results);

/// A header and a row for each case; times in seconds. `formats` is what the selector stored, "name:tiles:nonzeros"
/// of each format, spaces between them; `executed` is what a product ran, "name:nonzeros" of each part, semicolons
/// between them, such as "strip:100000" or "ell:71000;csr:20000;deferred:9000". Formats of tiles go by their own names.
std::string results_csv(std::span<const bench::Result> results, const std::vector<std::string>& baselines);

/// Throws a `verification` error that counts the wrong results, or if there are none, a `failure` that counts the cases
/// that failed.
void require_right(std::span<const bench::Result> results);

}  // namespace tilespmv::tools
