#pragma once

#include <nlohmann/json_fwd.hpp>

#include "selector/models/profile.hpp"

namespace tilespmv::tools {

/// What models of the solver say with this profile: its figures, `measured` naming those that the probe found;
/// recurrences, and predicted times of iterations on grids of seven points in float64; forms of the approximate inverse
/// of SSOR on two such grids, with the operators that `auto` takes for its products. Null without a bandwidth.
nlohmann::ordered_json solver_data(const Profile& profile);

}  // namespace tilespmv::tools
