#pragma once

#include <string>

#include <fmt/format.h>

#include "bench/harness/result.hpp"

// Cells that the tables of the benchmark share.
namespace tilespmv::tools {

inline constexpr const char* kNotConverged = "~";

inline std::string milliseconds(double seconds) { return fmt::format("{:.4g}", seconds * 1e3); }

/// The median of a mode, marked if it is too noisy; a dash if it was not measured.
std::string time_cell(const bench::Result& result, bench::Mode mode);

/// Whether half the interval of a speed-up is small.
bool is_sure(const bench::Speedup& speedup);

/// The speed-up over a baseline in a mode, marked if it is too noisy; a dash if there is none.
std::string speedup_cell(const bench::Result& result, const std::string& baseline, bench::Mode mode);

}  // namespace tilespmv::tools
