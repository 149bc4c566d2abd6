#pragma once

#include "selector/auto/work_terms.hpp"

namespace tilespmv {

/// Places of strips filled by windows.
double strip_places(const MatrixFeatures& f);

/// What strip makes of most tile rows.
enum class StripForm { windows, ranks, csr16 };
StripForm strip_form(const MatrixFeatures& f);

/// Bytes of all tile rows as strips filled by rank.
double rank_strip_bytes(const MatrixFeatures& f);

}  // namespace tilespmv
