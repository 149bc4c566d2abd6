#pragma once

#include <span>
#include <string>

#include "tools/stats/report.hpp"

namespace tilespmv::tools {

// The parts of `to_text`.

/// One matrix in detail.
std::string matrix_text(const StatsReport& report);

/// A table with a row for each matrix and selector, then a line for each matrix that failed.
std::string matrices_text(std::span<const StatsReport> reports);

}  // namespace tilespmv::tools
