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

struct CheckOutcome {
    std::vector<CheckedMatrix> matrices = {};
    std::vector<std::string> errors = {};  ///< of matrices that could not be checked, one line each
    int left = 0;                          ///< matrices for which the time did not suffice
    ProfileCheck summary = {};
};

struct CheckOptions {
    std::vector<std::string> sources = {};
    std::string values = "float64";
    double seconds = std::numeric_limits<double>::infinity();  ///< after which no further one begins
    std::function<void(std::string_view stage)> progress = [](std::string_view) {};
};

/// Measures every operator that has a model on matrices, and compares.
CheckOutcome check(bench::Measurer& measurer, const Profile& profile, const CheckOptions& options);

/// How right predictions are, and what choices lose.
std::string check_summary_text(const CheckOutcome& outcome);

/// A row for each matrix, and the summary.
std::string check_text(const CheckOutcome& outcome);

}  // namespace tilespmv::tools
