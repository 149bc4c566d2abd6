#pragma once

#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "tile/statistics.hpp"

namespace tilespmv::tools {

/// What one selector makes of a matrix.
struct SelectorStatistics {
    std::string selector;
    TiledStatistics tiled;
};

/// Everything `tilespmv stats` knows of one matrix.
struct StatsReport {
    std::string name;        ///< of the matrix
    std::string value_type;  ///< float64, float32
    MatrixStatistics matrix;
    std::vector<SelectorStatistics> selectors;
};

/// The counts in bin `bin` of the histogram of nonzeros per tile: "1", "3-4", ...
std::string tile_nnz_bin_name(std::size_t bin);

/// For people: one selector in detail, several of them side by side.
std::string to_text(const StatsReport& report);

/// For programs: keys in snake_case, shares between 0 and 1, sizes in bytes. `selectors` is an array, formats and
/// histogram bins are objects by name.
nlohmann::ordered_json to_json(const StatsReport& report);

/// A header and one row per selector; the columns are the paths of `to_json` with dots between the keys.
std::string to_csv(const StatsReport& report);

}  // namespace tilespmv::tools
