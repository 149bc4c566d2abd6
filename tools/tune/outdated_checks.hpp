#pragma once

#include <vector>

#include "selector/models/profile.hpp"

namespace tilespmv::tools {

/// Removes what checks of the profile say of models and trees that it had `before` and has no longer. Returns the
/// sizes whose check of products went.
std::vector<NumberSizes> forget_outdated_checks(Profile& profile, const Profile& before);

}  // namespace tilespmv::tools
