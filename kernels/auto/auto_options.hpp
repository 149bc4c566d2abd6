#pragma once

#include <filesystem>

#include "tile/options/options.hpp"
#include "tile/types.hpp"

namespace tilespmv {

/// The options of operator `auto`, on every backend.
struct AutoOptions {
    offset_t products = 0;        ///< expected; 0: so many that preparation does not count
    int columns = 1;              ///< that are multiplied at once
    bool is_tried = false;        ///< candidates are timed before one is taken
    std::filesystem::path cache;  ///< of what was timed; the default if empty
};

inline constexpr std::string_view kAutoSummary =
    "the operator that is predicted to be fastest for the matrix (`tilespmv explain`); products=N expected, of which "
    "preparation is a part; columns=N multiplied at once; tune=trial times the best candidates once and remembers the "
    "fastest in a cache=FILE";

/// Reads products=N, columns=N, tune=trial and cache=FILE, and throws the usage `Error`s of `Options`.
AutoOptions read_auto_options(Options& options);

}  // namespace tilespmv
