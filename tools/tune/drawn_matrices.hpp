#pragma once

#include <string>
#include <vector>

namespace tilespmv::tools {

/// Specifications of generated matrices of all kinds, whose sizes (2 * 10^4 to 1.5 * 10^7 nonzeros, more of them below
/// 10^6) and parameters are drawn at random: the same ones on every machine.
std::vector<std::string> drawn_matrices();

}  // namespace tilespmv::tools
