#pragma once

#include <span>
#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "tile/statistics.hpp"

namespace tilespmv::tools {

/// What one selector makes of a matrix.
struct SelectorStatistics {
    std::string selector;
    TiledStatistics tiled;
};

/// Everything `tilespmv stats` knows of one matrix and of its tiles by selectors.
struct StatsReport {
    std::string name;        ///< of the matrix
    std::string value_type;  ///< float64, float32
    MatrixStatistics matrix;
    std::vector<SelectorStatistics> selectors;
    std::string error = {};  ///< why there is nothing but the name, if so
};

/// The counts in bin `bin` of the histogram of nonzeros per tile: "1", "3-4", ...
std::string tile_nnz_bin_name(std::size_t bin);

/// For people: one matrix in detail, with several selectors side by side; of several matrices a table with a row for
/// each and each of its selectors, then why matrices failed.
std::string to_text(std::span<const StatsReport> reports);

/// For programs: keys in snake_case, shares between 0 and 1, sizes in bytes. `selectors` is an array, formats and
/// histogram bins are objects by name. Several matrices are an array of what each is alone; one that failed has only
/// `matrix`, its name, and `error`.
nlohmann::ordered_json to_json(std::span<const StatsReport> reports);

/// A header and one row per matrix and selector; the columns are the paths of `to_json` with dots between the keys, and
/// `error`. What a row does not have is empty: a matrix that failed has its name and error alone.
std::string to_csv(std::span<const StatsReport> reports);

}  // namespace tilespmv::tools
