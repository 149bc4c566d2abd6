#pragma once

#include "tile/options/options.hpp"
#include "tile/types.hpp"

namespace tilespmv {

/// The options of operator `auto`, on every backend.
struct AutoOptions {
    offset_t products = 0;  ///< expected; 0: so many that preparation does not count
    int columns = 1;        ///< that are multiplied at once
};

inline constexpr std::string_view kAutoSummary =
    "the operator that is predicted to be fastest for the matrix (`tilespmv explain`); products=N expected, of which "
    "preparation is a part; columns=N multiplied at once";

/// Reads products=N and columns=N, and throws the usage `Error`s of `Options`.
AutoOptions read_auto_options(Options& options);

}  // namespace tilespmv
