#pragma once

#include "tools/bench/run.hpp"

namespace tilespmv::tools {

/// The suite that is measured if neither matrices nor a suite are named.
inline constexpr const char* kPaperSuite = "tilespmv";

/// What has to be measured for the figures of the paper: completes what was asked for (matrices, value type, sampling)
/// by the operator, the selectors and the competitors that this build has. Throws a usage `Error` for a value type that
/// the backend has no operators for.
BenchOptions paper_plan(BenchOptions asked, Backend backend);

}  // namespace tilespmv::tools
