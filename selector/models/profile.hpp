#pragma once

#include <map>
#include <string>
#include <vector>

#include "selector/auto/rank_operators.hpp"
#include "selector/models/accuracy.hpp"
#include "selector/models/small_model.hpp"
#include "selector/models/spmv_model.hpp"

/// All that `tilespmv tune` has found out about one machine: what was measured, and the models that follow from it.
namespace tilespmv {

/// What measured.
struct ProfileBuild {
    std::string version = {};
    std::string revision = {};  ///< of git
    int driver = 0;             ///< the version of CUDA that the driver serves, 13000 for 13.0; 0 on a CPU
    int runtime = 0;

    friend bool operator==(const ProfileBuild&, const ProfileBuild&) = default;
};

/// Predictions for matrices that models have not seen (`tilespmv tune --check`), in values of one type.
struct ProfileCheck {
    std::string values = {};
    NumberSizes sizes = {};
    int matrices = 0;
    // Means over all products:
    double accuracy = 0;
    double naive_accuracy = 0;  ///< of bytes over bandwidth
    ChoiceQuality models = {};
    ChoiceQuality rules = {};

    friend bool operator==(const ProfileCheck&, const ProfileCheck&) = default;
};

struct Profile {
    Probe probe = {};
    ProfileBuild build = {};
    std::string date = {};  ///< of the last measurement, ISO 8601, UTC
    std::string set = {};   ///< of matrices: "full" or "tiny"
    std::vector<MeasuredMatrix> matrices = {};
    std::vector<SpmvModel> models = {};
    std::vector<SmallModel> small_models = {};  ///< of a GPU
    std::vector<ProfileCheck> checks = {};      ///< one for each sizes of numbers

    friend bool operator==(const Profile&, const Profile&) = default;
};

/// Fits all models to what was measured.
void fit_models(Profile& profile);

/// What choices need: probe, models and checks. Weights of anchors are rounded to 6 digits, which no choice
/// depends on.
Profile without_measurements(Profile profile);

/// As `rank_operators` by the rules, but by the times that the models of a profile predict: every operator that has a
/// model, suits the matrix, and is neither a baseline nor much larger than CSR; small matrices by a `SmallModel` alone.
/// Empty if the profile has no models.
std::vector<RankedOperator> rank_operators(const OperatorQuestion& question, const Profile& profile);

/// Operators for a trial of the first few: behind the first by the models alone, of a small matrix by its `SmallModel`,
/// the next of the rules and the next of the models of operators in turn.
std::vector<RankedOperator> rank_for_trial(const OperatorQuestion& question, const Profile& profile);

/// The question which operator is to multiply a matrix on the machine of a probe.
OperatorQuestion question_on(const Probe& probe, const MatrixFeatures& features);

/// Bytes of a value of the type called so; throws `Error` for an unknown one.
std::size_t value_bytes_of(std::string_view values);

/// The check of these sizes; null if there is none.
const ProfileCheck* find_check(const Profile& profile, const NumberSizes& sizes);

/// Takes what a check has found into the profile.
void keep_check(Profile& profile, const ProfileCheck& check);

/// Whether a profile that nobody asked for decides on products of such numbers: if the check of the nearest sizes found
/// its choices better than those of the rules.
bool decides(const Profile& profile, const NumberSizes& sizes);

}  // namespace tilespmv
