#pragma once

#include <string>
#include <string_view>
#include <vector>

/// Which instruction set the products, conversions and choices of this library use on the CPU.
namespace tilespmv::cpu {

/// Those that this build and this processor have, the widest vectors first: "avx512", "avx2", "sse4", ...
std::vector<std::string> vector_sets();
/// The one whose vectors operators use that are made now.
std::string vectors_in_use();
/// Doubles of its vectors.
int vector_lanes();

/// From now on as on a processor whose newest set is `name`. Operators that are there keep what they have. Throws a
/// usage `Error` that lists the sets there are.
void hold_vectors(std::string_view name);

}  // namespace tilespmv::cpu
