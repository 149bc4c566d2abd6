#pragma once

#include <filesystem>
#include <functional>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include "bench/harness/measurer.hpp"
#include "selector/models/profile.hpp"

namespace tilespmv::tools {

struct TuneOptions {
    std::filesystem::path file = {};  ///< of the profile, gone on with if it is there
    std::string set = "full";         ///< its name, as the profile shows it
    std::vector<std::string> sources = {};
    std::vector<std::string> values{"float64"};
    /// An operator, with its options or without, to measure again, and nothing else; empty: what is missing.
    std::string only = {};
    double seconds = std::numeric_limits<double>::infinity();  ///< after which no further measurement begins
    bool restart = false;                                      ///< forgets what was measured
    std::string date = {};                                     ///< of today
    ProfileBuild build = {};
    std::function<void(std::string_view stage)> progress = [](std::string_view) {};
};

/// What `tune` did.
struct TuneOutcome {
    Profile profile;
    int measured = 0;
    int left = 0;                            ///< measurements that the limit of time left undone
    std::vector<NumberSizes> outdated = {};  ///< checks of products that the profile had, of other models
    bool is_other_build = false;             ///< some of what was there was measured by another revision of the sources
};

/// Measures what the profile in the file lacks, fits all models, and writes it; between measurements, too, about every
/// second, so that nothing is measured again after an interruption. Operators that cannot be made of a matrix are kept
/// with the error, checks as far as they are of the models that result. Throws `Error` if the file is that of another
/// machine or cannot be written, and a usage `Error` if there is nothing called `only`.
TuneOutcome tune(bench::Measurer& measurer, const TuneOptions& options);

/// Whether products of such numbers have been checked on matrices that the models of the profile have not seen.
bool is_checked(const Profile& profile, const NumberSizes& sizes);

/// Whether `tune` is to be followed by such a check: of complete models of a set that is large enough, or of new ones
/// in the place of those that were checked.
bool wants_check(const TuneOptions& options, const TuneOutcome& outcome, const NumberSizes& sizes);

}  // namespace tilespmv::tools
