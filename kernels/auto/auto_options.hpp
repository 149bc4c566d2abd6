#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "selector/auto/rank_operators.hpp"
#include "tile/options/options.hpp"

namespace tilespmv {

/// The options of operator `auto`, on every backend.
struct AutoOptions {
    offset_t products = 0;        ///< expected; 0: so many that preparation does not count
    bool is_tried = false;        ///< candidates are timed before one is taken
    std::filesystem::path cache;  ///< of what was timed; the default if empty
};

inline constexpr std::string_view kAutoSummary =
    "the operator that is predicted to be fastest for the matrix (`tilespmv explain`); products=N expected, of which "
    "preparation is a part; tune=trial times the best candidates once and remembers the fastest in a cache=FILE";

/// Reads products=N, tune=trial and cache=FILE, and throws the usage `Error`s of `Options`.
AutoOptions read_auto_options(Options& options);

}  // namespace tilespmv
