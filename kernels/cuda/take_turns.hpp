#pragma once

#include "tile/options/options.hpp"

namespace tilespmv::cuda {

/// Whether the blocks of a launch take turns over consecutive rows (`Turns` in `turns.cuh`).
enum class TakeTurns { if_it_pays, no, yes };

/// Reads the option turns: 0 or 1; if it is not given, as it pays.
TakeTurns read_turns(Options& options);

}  // namespace tilespmv::cuda
