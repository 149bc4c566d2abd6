#pragma once

#include <functional>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include "bench/harness/measurer.hpp"
#include "selector/models/profile.hpp"

namespace tilespmv::tools {

/// An operator on a matrix that models have not seen.
struct CheckedProduct {
    std::string specification = {};
    double measured = 0;
    double predicted = 0;  ///< by a model
    double naive = 0;      ///< by bytes over bandwidth
};

struct CheckedMatrix {
    std::string name = {};
    MatrixFeatures features = {};
    std::vector<CheckedProduct> products = {};  ///< that could be made
    // Of those that may be chosen:
    std::string best = {}, by_models = {}, by_rules = {};
    double best_seconds = 0, models_seconds = 0, rules_seconds = 0;
};

/// What the tree of a kernel chooses at a size that it has not seen, against the best of all candidates there.
struct CheckedShape {
    std::string kernel = {};
    std::size_t n = 0;
    LaunchShape chosen = {}, best = {};
    double chosen_seconds = 0, best_seconds = 0;

    /// At least 1: what is faster than the best is as good as it.
    [[nodiscard]] double loss() const { return chosen_seconds <= best_seconds ? 1 : chosen_seconds / best_seconds; }
};

struct CheckOutcome {
    std::vector<CheckedMatrix> matrices = {};
    std::vector<std::string> errors = {};  ///< of matrices that could not be checked, one line each
    std::vector<CheckedShape> shapes = {};
    std::vector<VectorProfile> times = {};  ///< all that was measured of launch shapes, without models
    int left = 0;                           ///< matrices and sizes of vectors for which the time did not suffice
    ProfileCheck summary = {};
};

struct CheckOptions {
    std::vector<std::string> sources = {};
    std::string values = "float64";
    std::string only = {};                                     ///< the kernel over vectors to check; empty: all of them
    int sizes = 50;                                            ///< n of vectors
    double seconds = std::numeric_limits<double>::infinity();  ///< after which no further one begins
    std::function<void(std::string_view stage)> progress = [](std::string_view) {};
};

/// Measures every operator that has a model on matrices, and every launch shape at sizes n, and compares. Of the best
/// shape and the chosen one both are measured again side by side, since the least of many noisy times is too low.
CheckOutcome check(bench::Measurer& measurer, const Profile& profile, const CheckOptions& options);

/// Compares the trees of a profile, fitted again to what was measured for it, with the `times` of an earlier check.
/// Nothing is measured. Choices of which there is no time are errors; throws `Error` if there is nothing to compare.
CheckOutcome check_against(Profile profile, const std::vector<VectorProfile>& times);

/// The sizes of vectors that are checked: spread evenly by factors from 1,500 to 20 million, odd and even ones in turn,
/// in ascending order.
std::vector<std::size_t> sizes_to_check(int count);

/// How right predictions are, and what choices lose.
std::string check_summary_text(const CheckOutcome& outcome);

/// A row for each matrix, and the summary.
std::string check_text(const CheckOutcome& outcome);

}  // namespace tilespmv::tools
