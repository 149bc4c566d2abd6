#include "tools/tune/outdated_checks.hpp"

#include <algorithm>

namespace tilespmv::tools {
namespace {

/// Whether each model of `a` that predicts for these sizes is in `b`, too.
bool has_models_of(const Profile& a, const Profile& b, const NumberSizes& sizes) {
    return std::ranges::all_of(a.models, [&](const SpmvModel& one) {
        const auto* const model = find_model(a.models, one.specification, sizes);
        const auto* const other = find_model(b.models, one.specification, sizes);
        return other != nullptr && *other == *model;
    });
}

bool choose_alike(const Profile& a, const Profile& b, const NumberSizes& sizes) {
    return has_models_of(a, b, sizes) && has_models_of(b, a, sizes);
}

}  // namespace

std::vector<NumberSizes> forget_outdated_checks(Profile& profile, const Profile& before) {
    std::vector<NumberSizes> outdated;
    for (ProfileCheck& check : profile.checks) {
        if (check.models.choices == 0 || choose_alike(profile, before, check.sizes)) continue;
        outdated.push_back(check.sizes);
        check = {.values = check.values, .sizes = check.sizes};
    }
    std::erase_if(profile.checks, [](const auto& one) { return one.models.choices == 0; });
    return outdated;
}

}  // namespace tilespmv::tools
