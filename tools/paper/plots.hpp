#pragma once

#include <vector>

#include "tools/paper/results.hpp"
#include "tools/plot/plots.hpp"

namespace tilespmv::tools {

/// The figures of the paper. Over nonzeros: gflops (configurations and competitors), storage, preparation
/// and for each competitor speedup-<name>. Matrix by matrix: configurations (the published ones), formats
/// (single formats), shares-tiles and shares-nonzeros.
std::vector<Plot> paper_plots(const PaperResults& results);

}  // namespace tilespmv::tools
