#pragma once

#include <string>

#include "tools/tune/tune.hpp"

namespace tilespmv::tools {

/// The machine, and a row for each model of an operator.
std::string tune_text(const TuneOutcome& outcome);

}  // namespace tilespmv::tools
