#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "selector/auto/rank_operators.hpp"
#include "tile/options/options.hpp"

namespace tilespmv {

/// The options of operator `auto`, on every backend.
struct AutoOptions {
    offset_t products = 0;          ///< expected; 0: so many that preparation does not count
    int columns = 1;                ///< that are multiplied at once
    bool is_tried = false;          ///< candidates are timed before one is taken
    std::filesystem::path cache;    ///< of what was timed; the default if empty
    std::filesystem::path profile;  ///< whose models choose; empty: `find_profile` says
};

inline constexpr std::string_view kAutoSummary =
    "the operator that is predicted to be fastest for the matrix (`tilespmv explain`); products=N expected, of which "
    "preparation is a part; columns=N multiplied at once; tune=trial times the best candidates once and remembers the "
    "fastest in a cache=FILE; "
    "profile=FILE chooses by the models of "
    "`tilespmv tune`";

/// Reads products=N, columns=N, tune=trial, cache=FILE and profile=FILE, and throws the usage `Error`s of `Options`.
AutoOptions read_auto_options(Options& options);

/// The ranking that `auto` on a machine of this name goes by: that of the profile that decides there (`find_profile`),
/// for a trial also of one that does not decide, or of the rules if there is none or it has no models.
std::vector<RankedOperator> rank_for_auto(const OperatorQuestion& question, const AutoOptions& options,
                                          std::string_view machine);

/// The first of that ranking, but without a trial, with those features of the matrix alone that the choice needs; the
/// rest of the question is `question`.
std::string choose_for_auto(const PatternView& a, OperatorQuestion question, const AutoOptions& options,
                            std::string_view machine);

}  // namespace tilespmv
