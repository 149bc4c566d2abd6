#pragma once

#include <string>

#include "tools/tune/tune.hpp"

namespace tilespmv::tools {

/// The machine, a row for each model of an operator, and a row for each kernel over vectors.
std::string tune_text(const TuneOutcome& outcome);

}  // namespace tilespmv::tools
