#pragma once

#include "selector/auto/matrix_features.hpp"

namespace tilespmv {

/// What strip makes of most tile rows.
enum class StripForm { windows, ranks, csr16 };
StripForm strip_form(const MatrixFeatures& f);

}  // namespace tilespmv
