#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace tilespmv::tools {

/// Generated matrices that models of operators are fitted to.
struct BenchmarkSet {
    std::string_view name;
    std::string_view summary;
    std::vector<std::string> sources;
};

/// "full": regular classes (grids, finite elements, bands, blocks), meshes, networks, random and power-law matrices, of
/// 10^4 to 5 * 10^7 nonzeros each, rows of 1 to 20,000: families in several sizes, and `drawn_matrices`. "short": the
/// families alone. "tiny": eight matrices, to try things.
std::span<const BenchmarkSet> benchmark_sets();

/// Throws a usage `Error` that lists the names there are.
const BenchmarkSet& find_benchmark_set(std::string_view name);

}  // namespace tilespmv::tools
