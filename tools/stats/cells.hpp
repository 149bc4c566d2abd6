#pragma once

#include <cmath>
#include <span>
#include <string>

#include <fmt/format.h>

#include "tile/statistics.hpp"
#include "tools/stats/report.hpp"
#include "tools/text/number_text.hpp"

namespace tilespmv::tools {

// The parts of `to_text`.

/// One matrix in detail.
std::string matrix_text(const StatsReport& report);
/// A table with a row for each matrix and selector, then a line for each matrix that failed.
std::string matrices_text(std::span<const StatsReport> reports);

// Cells of the tables of `stats`. What is not there is a dash, which keeps it from drawing the eye.

inline std::string per_nnz(offset_t bytes, offset_t nnz) {
    return nnz == 0 ? "-" : fmt::format("{:.2f}", share(bytes, nnz));
}
inline std::string count_or_dash(offset_t n) { return n == 0 ? "-" : grouped(n); }
inline std::string percent_or_dash(offset_t part, offset_t whole) {
    return part == 0 ? "-" : percent(share(part, whole));
}
inline std::string bytes_or_dash(offset_t bytes) { return bytes == 0 ? "-" : byte_size(bytes); }

/// Whole percent; neither 0 nor 100 is said of what is not.
inline std::string whole_percent(offset_t part, offset_t whole) {
    const auto rounded = std::lround(100 * share(part, whole));
    if (rounded == 0 && part > 0) return "<1";
    if (rounded == 100 && part < whole) return ">99";
    return fmt::format("{}", rounded);
}

}  // namespace tilespmv::tools
